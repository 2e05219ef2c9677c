using CoAP.NET.Load.Figures;
using CoAP.NET.Load.Plans;
using CoAP.NET.Load.Running;

namespace CoAP.NET.Load.Workers;

/// <summary>
/// Runs a plan. On cancellation during the measurement it stops immediately and returns the result so far; before that, it throws
/// <see cref="OperationCanceledException"/>.
/// </summary>
/// <param name="plan">The plan.</param>
/// <param name="progress">Receives the progress about once per second; called from any thread and never blocks.</param>
/// <param name="gate">The gate to pass once, when all peers are connected and before the first request.</param>
/// <param name="cancellationToken">Ends the run.</param>
internal delegate Task<LoadResult> LoadRunDelegate(
    LoadPlan plan, IProgress<LoadProgress> progress, StartGate gate, CancellationToken cancellationToken);
