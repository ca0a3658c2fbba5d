"""Public names of MindSpore 2.6 by module, for modules whose names come from packages that hold more than those."""

from __future__ import annotations

__all__ = [
    "ASCEND",
    "COMMON",
    "DATASET",
    "LOSS_SCALE_CELLS",
    "METRICS",
    "MINT",
    "MINT_FUNCTIONAL",
    "MINT_LINALG",
    "MINT_LAYERS",
    "MINT_NN",
    "MINT_OPTIM",
    "MINT_SPECIAL",
    "OPS_CORE",
    "TOP",
    "TRAIN",
]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ASCEND = _words(
    """
    aclinit_config aoe_job_type aoe_tune_mode conv_allow_hf32 debug_option device_count execute_timeout is_available
    matmul_allow_hf32 op_compile op_precision_mode precision_mode
    """
)

COMMON = _words(
    """
    _Function _no_grad _null _NullType bfloat16 bool_ byte complex128 complex64 COOTensor CSRTensor
    default_generator double dtype dtype_to_nptype dtype_to_pytype float16 float32 float64 float_ flops_collection
    from_numpy Generator get_py_obj_dtype get_rng_state get_seed half initial_seed Int int16 int32 int64 int8 int_
    intc intp is_tensor jit jit_class JitConfig lazy_inline list_ load_mindir manual_seed ms_memory_recycle mutable
    no_inline number Parameter ParameterTuple pytype_to_dtype qint4x2 QuantDtype recompute RowTensor save_mindir
    seed set_dump set_recursion_limit set_rng_state set_seed short single SparseTensor string Symbol Tensor tensor
    tensor_type TensorType tuple_ Type type_none ubyte uint uint16 uint32 uint64 uint8 uintc uintp ushort
    """
)

TOP = COMMON | _words(
    """
    Accuracy async_ckpt_thread_status auc BackupAndRestore BleuScore build_searched_strategy build_train_network
    Callback check_checkpoint CheckpointConfig Cifar100ToMR Cifar10ToMR ckpt_to_safetensors communication_stream
    COMPATIBLE ConfusionMatrix ConfusionMatrixMetric connect_network_with_dataset constexpr
    convert_checkpoint_by_rank convert_checkpoints convert_model ConvertModelUtils ConvertNetUtils CosineSimilarity
    CsvToMR current_stream data_sink DatasetHelper default_stream Dice dispatch_threads_num DynamicLossScaleManager
    EarlyStopping empty_cache EnvProfiler Event ExitByRequest export export_split_mindir F1 Fbeta FileReader
    FileWriter FixedLossScaleManager FlopsUtilizationCollector get_algo_parameters get_auto_parallel_context
    get_ckpt_path_with_strategy get_context get_current_device get_grad get_level get_log_config get_metric_fn
    get_obj_module_and_name_info get_offload_context get_ps_context grad GRAPH_MODE HausdorffDistance History
    ImageNetToMR is_invalid_or_jit_forbidden_method is_jit_forbidden_module jacfwd jacrev jvp LambdaCallback
    launch_blocking LAX Layout LearningRateScheduler load load_checkpoint load_checkpoint_async
    load_distributed_checkpoint load_obf_params_into_net load_param_into_net load_segmented_checkpoints Loss
    LossMonitor LossScaleManager MAE max_memory_allocated max_memory_reserved MeanSurfaceDistance memory_allocated
    memory_reserved memory_stats memory_summary merge_pipeline_strategys merge_sliced_parameter Metric MindPage
    MnistToMR Model ModelCheckpoint MSE names Node NodeType obfuscate_ckpt OcclusionSensitivity OnRequestExit
    ParallelMode parameter_broadcast parse_print Perplexity Precision Profiler PYNATIVE_MODE rank_list_for_convert
    rank_list_for_transform rearrange_inputs Recall ReduceLROnPlateau reset_algo_parameters
    reset_auto_parallel_context reset_max_memory_allocated reset_max_memory_reserved reset_peak_memory_stats
    reset_ps_context reshard restore_group_info_list ROC RootMeanSquareDistance run_check RunContext
    runtime_execution_order_check safetensors_to_ckpt save_checkpoint ScopedValue set_algo_parameters
    set_auto_parallel_context set_context set_cpu_affinity set_cur_stream set_dec_mode set_deterministic set_device
    set_enc_key set_enc_mode set_kernel_launch_group set_memory set_offload_context set_op_strategy_config
    set_ps_context shard Stream StreamCtx stress_detect STRICT SummaryCollector SummaryLandscape SummaryRecord
    SymbolTree sync_pipeline_shared_parameters synchronize TFRecordToMR TimeMonitor Top1CategoricalAccuracy
    Top5CategoricalAccuracy TopKCategoricalAccuracy TrainFaultTolerance transform_checkpoint_by_rank
    transform_checkpoints unified_safetensors value_and_grad ValueType vjp vmap
    """
)

MINT = _words(
    """
    abs acos acosh add addbmm addcdiv addcmul addmm addmv all allclose amax amin any arange arccos arccosh arcsin
    arcsinh arctan arctan2 arctanh argmax argmin argsort asin asinh atan atan2 atanh baddbmm batch_norm_elemt
    batch_norm_gather_stats_with_counts batch_norm_stats bernoulli bincount bitwise_and bitwise_not bitwise_or
    bitwise_xor bmm broadcast_to cat cdist ceil chunk clamp clip clone concat conv2d cos cosh count_nonzero cross
    cummax cummin cumprod cumsum diag diff div divide dot dstack einsum empty empty_like eq equal erf erfc erfinv
    exp exp2 expm1 eye fix flatten flip float_power floor floor_divide fmod frac full full_like gather gcd ge
    greater greater_equal gt histc hstack index_add index_select inverse isclose isfinite isinf isnan isneginf item
    kthvalue le lerp less less_equal linspace log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not
    logical_or logical_xor logsumexp lt masked_select matmul max maximum mean median meshgrid min minimum mm mul
    multinomial mv nan_to_num nansum narrow ne neg negative nonzero norm normal not_equal ones ones_like outer
    permute polar pow prod rand rand_like randint randint_like randn randn_like randperm ravel reciprocal remainder
    repeat_interleave reshape roll round rsqrt scatter scatter_add searchsorted select sigmoid sign sin sinc sinh
    softmax sort split sqrt square squeeze stack std std_mean sub sum swapaxes t take tan tanh tile topk trace
    transpose triangular_solve tril triu trunc unbind unique unique_consecutive unsqueeze var var_mean where xlogy
    zeros zeros_like
    """
)

MINT_NN = _words(
    """
    AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d AvgPool1d AvgPool2d
    AvgPool3d BatchNorm1d BatchNorm2d BatchNorm3d BCELoss BCEWithLogitsLoss ConstantPad1d ConstantPad2d
    ConstantPad3d Conv1d Conv2d Conv3d ConvTranspose2d CrossEntropyLoss Dropout2d ELU Flatten Fold GELU GroupNorm
    Hardshrink Hardsigmoid Hardswish Hardtanh Identity KLDivLoss L1Loss Linear LogSigmoid LogSoftmax MaxUnpool2d
    Mish MSELoss NLLLoss PixelShuffle PReLU ReflectionPad1d ReflectionPad2d ReflectionPad3d ReLU ReLU6
    ReplicationPad1d ReplicationPad2d ReplicationPad3d SELU Sigmoid SiLU SmoothL1Loss SoftMarginLoss Softmax
    SyncBatchNorm Tanh Threshold Unfold Upsample UpsamplingBilinear2d UpsamplingNearest2d ZeroPad1d ZeroPad2d
    ZeroPad3d
    """
)

MINT_LAYERS = _words(
    """
    AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d BatchNorm1d BatchNorm2d BatchNorm3d
    Dropout2d GroupNorm LayerNorm LogSigmoid SiLU SyncBatchNorm Threshold
    """
)

MINT_FUNCTIONAL = _words(
    """
    adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d avg_pool1d
    avg_pool2d avg_pool3d batch_norm binary_cross_entropy binary_cross_entropy_with_logits conv1d conv2d conv3d
    conv_transpose2d cross_entropy dropout dropout2d elu elu_ embedding flatten fold gelu glu grid_sample group_norm
    hardtanh hardtanh_ interpolate kl_div layer_norm leaky_relu linear log_softmax logsigmoid max_pool2d
    max_unpool2d mse_loss nll_loss normalize one_hot pad pixel_shuffle prelu relu relu6 relu_ sigmoid silu
    smooth_l1_loss soft_margin_loss softmax tanh threshold threshold_ unfold upsample
    """
)

MINT_SPECIAL = _words(
    """
    erfc exp2 expm1 log1p log_softmax round sinc
    """
)

MINT_LINALG = _words(
    """
    inv matrix_norm norm qr vector_norm
    """
)

MINT_OPTIM = _words(
    """
    Adam AdamW SGD
    """
)

# Of mindspore.ops, what is no operator.
OPS_CORE = _words(
    """
    GradOperation Primitive PrimitiveWithCheck PrimitiveWithInfer constexpr derivative get_grad grad jacfwd jacrev jet
    jvp prim_attr_register stop_gradient value_and_grad vjp vmap
    """
)

METRICS = _words(
    """
    Accuracy auc BleuScore ConfusionMatrix ConfusionMatrixMetric CosineSimilarity Dice F1 Fbeta get_metric_fn
    HausdorffDistance Loss MAE MeanSurfaceDistance Metric MSE names OcclusionSensitivity Perplexity Precision
    rearrange_inputs Recall ROC RootMeanSquareDistance Top1CategoricalAccuracy Top5CategoricalAccuracy
    TopKCategoricalAccuracy
    """
)

TRAIN = METRICS | _words(
    """
    build_train_network Callback data_sink DatasetHelper DynamicLossScaleManager EarlyStopping
    FixedLossScaleManager History LambdaCallback
    LearningRateScheduler LossMonitor LossScaleManager Model ReduceLROnPlateau RunContext TimeMonitor
    async_ckpt_thread_status BackupAndRestore check_checkpoint CheckpointConfig ckpt_to_safetensors
    load_checkpoint load_checkpoint_async load_param_into_net ModelCheckpoint safetensors_to_ckpt save_checkpoint
    """
)

LOSS_SCALE_CELLS = _words("DynamicLossScaleUpdateCell FixedLossScaleUpdateCell TrainOneStepWithLossScaleCell")

DATASET = _words(
    """
    Dataset DistributedSampler GeneratorDataset NumpySlicesDataset RandomSampler SequentialSampler
    SubsetRandomSampler SubsetSampler zip
    """
)
