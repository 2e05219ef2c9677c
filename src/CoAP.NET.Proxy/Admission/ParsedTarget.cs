namespace CoAP.NET.Proxy.Admission;

/// <summary>A parsed and checked target of a client; see <see cref="ParsedTargetCache"/>.</summary>
/// <param name="Named">The URI as the client wrote it.</param>
/// <param name="Normal">Its normal form, to which the proxy sends.</param>
/// <param name="Scheme">Its scheme, in lower case.</param>
/// <param name="Refused">The code that refuses it for all clients; null if it is allowed.</param>
/// <param name="Reason">The reason of the refusal.</param>
/// <param name="IsDenied">Whether <see cref="CoapProxyTargets"/> denies it.</param>
/// <param name="Version">The version of the targets when it was checked.</param>
internal sealed record ParsedTarget(
    string Named, string Normal, string Scheme, CoapCode? Refused, string Reason, bool IsDenied, int Version);
