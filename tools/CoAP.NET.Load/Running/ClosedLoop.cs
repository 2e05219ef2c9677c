using CoAP.NET.Load.Plans;

namespace CoAP.NET.Load.Running;

/// <summary>Loops that send the next request as soon as they have an answer.</summary>
internal sealed class ClosedLoop(LoadPlan plan, LoadPeers peers, LoadMeter meter) : RequestLoop(plan, peers, meter)
{
    // A missing server refuses immediately: repeating at full speed measures nothing and uses all processors.
    private static readonly TimeSpan s_pauseAfterFailure = TimeSpan.FromMilliseconds(10);

    protected override async Task RunAsync(SimulatedPeer peer)
    {
        CoapRequest request = peer.NewRequest();
        while (true)
        {
            long begun = MonotonicTimestamp.Now;
            if (begun >= Meter.To)
            {
                return;
            }

            try
            {
                OnAnswer(peer, await peer.Take().SendAsync(request).ConfigureAwait(false), begun);
                continue;
            }
            catch (CoapException exception)
            {
                if (!OnFailure(exception, begun))
                {
                    continue;
                }
            }
            catch (ObjectDisposedException)
            {
                // The run was cancelled: its clients are disposed immediately.
                return;
            }

            await Task.Delay(s_pauseAfterFailure, TimeProvider.System).ConfigureAwait(false);
        }
    }
}
