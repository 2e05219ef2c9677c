namespace CoAP.NET.Cli.Bench;

/// <summary>
/// Does one run. When it is cancelled while it measures, it stops at once and returns what it has; before that, it throws
/// <see cref="OperationCanceledException"/>.
/// </summary>
/// <param name="plan">What is done.</param>
/// <param name="progress">Is told about once a second; may be called from any thread and never blocks.</param>
/// <param name="gate">Passed once, when all peers are connected and before the first request.</param>
/// <param name="cancellationToken">Ends the run.</param>
internal delegate Task<LoadResult> LoadRun(LoadPlan plan, IProgress<LoadTick> progress, LoadGate gate, CancellationToken cancellationToken);
