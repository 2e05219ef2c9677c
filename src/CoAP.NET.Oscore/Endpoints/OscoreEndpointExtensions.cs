using CoAP.NET.Mesh;

namespace CoAP.NET.Oscore;

/// <summary>Gives an endpoint OSCORE.</summary>
public static class OscoreEndpointExtensions
{
    /// <summary>
    /// Has an endpoint take requests that are protected by OSCORE (RFC 8613), and protect its own to hosts for which there is a security
    /// context, over all transports. Requests without protection are served as before, unless a route demands it.
    /// </summary>
    /// <param name="options">The options of the endpoint.</param>
    /// <param name="contexts">The security contexts; may be changed while the endpoint runs, and shared by several endpoints.</param>
    /// <returns><paramref name="options"/>.</returns>
    /// <exception cref="InvalidOperationException">The endpoint has a protection already, or was made already.</exception>
    public static CoapEndpointOptions UseOscore(this CoapEndpointOptions options, OscoreContexts contexts)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(contexts);
        OscoreTelemetry? telemetry = null; // one for all shards, which are made one after the other
        options.Pipeline.Replace(
            CoapStages.Protection, stage => new OscoreProtection(contexts, stage, telemetry ??= new OscoreTelemetry(contexts, stage)));
        return options;
    }
}
