using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Simulation.Faults;

/// <summary>
/// Injects one fault and judges what came of it: the right outcome, counted, logged, and the next request of the same peer answered.
/// </summary>
internal static class FaultRun
{
    /// <summary>Injects a fault.</summary>
    /// <param name="rig">Where.</param>
    /// <param name="place">At which place.</param>
    /// <param name="scheme">Over what the one who is hit asks.</param>
    /// <param name="kind">What is thrown.</param>
    /// <param name="patience">How long to wait until it is counted and logged; null as long as a busy machine may need.</param>
    /// <returns>What the one who was hit saw.</returns>
    /// <exception cref="FaultFinding">Something was not as it has to be.</exception>
    public static async Task<string> InjectAsync(FaultRig rig, UserCodeCall place, string scheme, FaultKind kind, TimeSpan? patience = null)
    {
        await using FaultClient client = rig.NewClient(scheme);
        FaultProbe probe = new(rig, place, client, kind);
        CoapCounters counters = place.IsOfClient ? client.Client.Endpoint.Counters : rig.Server.Counters;
        FaultLog log = place.IsOfClient ? rig.ClientLog : rig.ServerLog;
        long counted = place.Counter is { } counter ? counters[counter] : 0;
        int entries = log.CountOf(place.LogId);
        try
        {
            await place.ProbeAsync(probe);
            if (probe.Fault is { } fault)
            {
                await FaultProbe.UntilAsync(() => fault.HasFired, "the fault hit nobody: the probe does not come to its place");
            }

            if (place.Counter is { } which)
            {
                await FaultProbe.UntilAsync(() => counters[which] > counted, $"it was not counted as {which}", patience);
            }

            if (place.LogId != 0)
            {
                string what = $"it was not logged under {place.LogId} as an error or warning";
                await FaultProbe.UntilAsync(() => IsLogged(log, place, probe.Fault, entries), what, patience);
            }

            CoapResponse next = await client.SendAsync(CoapMethod.Get, "/plain");
            return next.Code == CoapCode.Content
                ? probe.Outcome
                : throw new FaultFinding($"the next request of the same peer was answered '{next.Code}'");
        }
        catch (Exception exception) when (exception is FaultFinding or CoapException)
        {
            throw new FaultFinding(
                $"{place.Name} ({scheme}, {kind}): {(exception is FaultFinding ? "" : "the next request of the same peer: ")}{exception.Message}");
        }
        finally
        {
            if (probe.Fault is { } fault)
            {
                rig.Injector.Disarm(fault);
            }
        }
    }

    [SuppressMessage("Style", "IDE0046", Justification = "Two questions.")]
    private static bool IsLogged(FaultLog log, UserCodeCall place, ArmedFault? fault, int entries)
    {
        if (place.IsAnonymous || fault is null)
        {
            return log.CountOf(place.LogId) > entries;
        }

        return log.Find(fault.Number) is { } entry && entry.Id == place.LogId && entry.Level >= LogLevel.Warning;
    }
}
