namespace CoAP.NET.Proxy.Admission;

/// <summary>What was found of a target that a client named: see <see cref="KnownTargets"/>.</summary>
/// <param name="Named">The URI as the client wrote it.</param>
/// <param name="Normal">Its normal form, which is asked.</param>
/// <param name="Scheme">Its scheme, in lower case.</param>
/// <param name="Refused">The code that refuses it, whoever asks; null where it may be asked.</param>
/// <param name="Reason">Why it is refused.</param>
/// <param name="IsDenied">Whether it is refused because <see cref="CoapProxyTargets"/> do not allow it.</param>
/// <param name="Version">What was allowed when it was judged.</param>
internal sealed record KnownTarget(
    string Named, string Normal, string Scheme, CoapCode? Refused, string Reason, bool IsDenied, int Version);
