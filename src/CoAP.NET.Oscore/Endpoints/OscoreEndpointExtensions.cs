using CoAP.NET.Mesh;

namespace CoAP.NET.Oscore;

/// <summary>Adds OSCORE to an endpoint.</summary>
public static class OscoreEndpointExtensions
{
    /// <summary>
    /// Lets an endpoint accept requests protected by OSCORE (RFC 8613), and protects its own to hosts with a security context, over all
    /// transports.
    /// </summary>
    /// <param name="options">The options of the endpoint.</param>
    /// <param name="contexts">The security contexts. You may change them while the endpoint runs, and share them between endpoints.</param>
    /// <returns><paramref name="options"/>.</returns>
    /// <exception cref="InvalidOperationException">The endpoint already has a protection, or is already constructed.</exception>
    /// <remarks>The endpoint serves unprotected requests as before, unless a route requires protection.</remarks>
    public static CoapEndpointOptions UseOscore(this CoapEndpointOptions options, OscoreContexts contexts)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(contexts);
        OscoreTelemetry? telemetry = null; // one for all shards, which the endpoint creates one after the other
        options.Pipeline.Replace(
            CoapStages.Protection, stage => new OscoreProtection(contexts, stage, telemetry ??= new OscoreTelemetry(contexts, stage)));
        return options;
    }
}
