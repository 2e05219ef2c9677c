namespace CoAP.NET.Cli.Bench;

/// <summary>Each loop asks again as soon as it was answered.</summary>
internal sealed class ClosedLoop(LoadPlan plan, LoadPeers peers, LoadMeter meter) : RequestLoop(plan, peers, meter)
{
    // A server that is not there refuses at once: asking it as fast as that goes measures nothing and takes all processors.
    private static readonly TimeSpan s_pauseAfterFailure = TimeSpan.FromMilliseconds(10);

    protected override async Task RunAsync(LoadPeer peer)
    {
        CoapRequest request = peer.NewRequest();
        while (true)
        {
            long begun = Stamp.Now;
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
                // The run was cancelled: its clients are disposed at once.
                return;
            }

            await Task.Delay(s_pauseAfterFailure, TimeProvider.System).ConfigureAwait(false);
        }
    }
}
