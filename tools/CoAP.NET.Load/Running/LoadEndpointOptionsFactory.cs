using System.Net;
using CoAP.NET.Dtls;
using CoAP.NET.Load.Plans;

namespace CoAP.NET.Load.Running;

internal static class LoadEndpointOptionsFactory
{
    public static CoapEndpointOptions Of(LoadPlan plan, IPAddress[] targets, int peers)
    {
        CoapEndpointOptions options = new()
        {
            Parameters = new CoapTransmissionParameters
            {
                MaxRetransmit = plan.Retransmissions,
                RetransmissionTiming = plan.RetransmissionTiming,

                // A message without retransmissions must not time out before the request does.
                AckTimeout = TimeSpan.FromSeconds(plan.Retransmissions > 0 ? 2 : Math.Max(2, plan.TimeoutSeconds)),

                // The loops limit the number of pending requests, and a load generator must not slow down for a silent server.
                NStart = ushort.MaxValue,
                ProbingRate = double.PositiveInfinity,
            },
            Transports = { ResolveHost = (_, _) => Task.FromResult(targets) },
        };

        if (plan.Secure is { } secure)
        {
            secure(options);
        }
        else if (CoapUri.Parse(plan.Uri).Scheme == LoadPeers.Dtls)
        {
            options.UseDtls(new CoapDtlsOptions { Client = new CoapDtlsClientOptions() });
        }

        // Above the defaults only if the peers need it.
        CoapLimits limits = options.Limits;
        limits.Peers.MaxCount = Math.Max(limits.Peers.MaxCount, 2 * peers);
        limits.Connections.MaxCount = Math.Max(limits.Connections.MaxCount, peers);
        limits.Connections.MaxCountPerSource = Math.Max(limits.Connections.MaxCountPerSource, peers);
        limits.Observe.MaxObservations = Math.Max(limits.Observe.MaxObservations, peers);
        limits.Messages.MaxOutstanding = (int)Math.Min(int.MaxValue, Math.Max(limits.Messages.MaxOutstanding, 4L * peers * plan.Depth));
        return options;
    }
}
