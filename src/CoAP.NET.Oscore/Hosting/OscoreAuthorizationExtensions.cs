using CoAP.NET.Oscore;

namespace CoAP.NET.Hosting;

/// <summary>Adds requirements of OSCORE to authorization policies.</summary>
public static class OscoreAuthorizationExtensions
{
    /// <summary>
    /// Requires a request protected by OSCORE (RFC 8613), from a peer that meets a condition; without OSCORE 4.01, for another peer 4.03.
    /// </summary>
    /// <param name="policy">The policy.</param>
    /// <param name="condition">
    /// Checks the identity, such as its <see cref="OscoreIdentity.Kid"/>, or after EDHOC its <see cref="OscoreIdentity.Owner"/>; null for
    /// any.
    /// </param>
    /// <returns>The policy.</returns>
    /// <remarks>The transport does not matter.</remarks>
    public static CoapAuthorizationPolicyBuilder RequireOscore(
        this CoapAuthorizationPolicyBuilder policy, Func<OscoreIdentity, bool>? condition = null)
    {
        ArgumentNullException.ThrowIfNull(policy);
        return policy.Require(context =>
            context.Identity is not OscoreIdentity identity ? CoapAuthorizationDecision.Unauthorized("Come with OSCORE.")
                : condition is null || condition(identity) ? CoapAuthorizationDecision.Allowed : CoapAuthorizationDecision.Forbidden());
    }
}
