using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Oscore;

namespace CoAP.NET.Hosting;

/// <summary>
/// Puts requirements together; all must be met, and the first one that is not gives the answer. What better credentials would change is
/// answered 4.01, what they would not 4.03 (RFC 7252 sections 5.9.2.2 and 5.9.2.4).
/// </summary>
public sealed class CoapAuthorizationPolicyBuilder
{
    private readonly List<Func<CoapAuthorizationContext, CancellationToken, ValueTask<CoapAuthorizationDecision>>> _requirements = [];

    /// <summary>
    /// The transport is protected by DTLS or TLS; otherwise 4.01. Unlike <c>RequireTransportSecurity</c> it leaves routes in the list of
    /// resources.
    /// </summary>
    /// <returns>This object.</returns>
    public CoapAuthorizationPolicyBuilder RequireSecureTransport() =>
        Require(static context => context.IsSecure
            ? CoapAuthorizationDecision.Allowed
            : CoapAuthorizationDecision.Unauthorized("Come by a secured transport, such as coaps or coaps+tcp."));

    /// <summary>The transport has one of these schemes; otherwise 4.01.</summary>
    /// <param name="schemes">The schemes, such as <c>coaps+tcp</c>; at least one.</param>
    /// <returns>This object.</returns>
    /// <exception cref="ArgumentException">There is none.</exception>
    public CoapAuthorizationPolicyBuilder RequireScheme(params string[] schemes)
    {
        ArgumentNullException.ThrowIfNull(schemes);
        if (schemes.Length == 0)
        {
            throw new ArgumentException("Name at least one scheme, such as coaps+tcp.", nameof(schemes));
        }

        string[] own = [.. schemes];
        string diagnostic = $"Come by one of: {string.Join(", ", own)}.";
        return Require(context => own.Contains(context.Scheme, StringComparer.OrdinalIgnoreCase)
            ? CoapAuthorizationDecision.Allowed
            : CoapAuthorizationDecision.Unauthorized(diagnostic));
    }

    /// <summary>
    /// The peer has proven who it is (<see cref="CoapPeer.IsKnown"/>); otherwise 4.01. A DTLS or TLS peer without credentials of its own is
    /// nobody, and so is a user of a web application who has not logged in.
    /// </summary>
    /// <returns>This object.</returns>
    public CoapAuthorizationPolicyBuilder RequireIdentity() =>
        Require(static context => context.IsKnown
            ? CoapAuthorizationDecision.Allowed
            : CoapAuthorizationDecision.Unauthorized("Show who you are."));

    /// <summary>
    /// The peer has proven who it is, and its identity meets a condition; without an identity 4.01, with another one 4.03.
    /// </summary>
    /// <typeparam name="TIdentity">The type of the identity, such as <see cref="Transports.CoapTlsIdentity"/>.</typeparam>
    /// <param name="condition">Looks at the identity.</param>
    /// <returns>This object.</returns>
    public CoapAuthorizationPolicyBuilder RequireIdentity<TIdentity>(Func<TIdentity, bool> condition)
    {
        ArgumentNullException.ThrowIfNull(condition);
        return Require(context => !context.IsKnown ? CoapAuthorizationDecision.Unauthorized("Show who you are.")
            : context.Identity is TIdentity identity && condition(identity) ? CoapAuthorizationDecision.Allowed
            : CoapAuthorizationDecision.Forbidden());
    }

    /// <summary>
    /// The peer showed a certificate that pleases a condition; without one 4.01, with another one 4.03. That it is valid the transport has
    /// checked, as far as its options say.
    /// </summary>
    /// <param name="condition">Looks at the certificate; null for any. Must not keep it: it is disposed with its connection.</param>
    /// <returns>This object.</returns>
    public CoapAuthorizationPolicyBuilder RequireCertificate(Func<X509Certificate2, bool>? condition = null) =>
        Require(context => context.Certificate is not { } certificate ? CoapAuthorizationDecision.Unauthorized("Show a certificate.")
            : condition is null || condition(certificate) ? CoapAuthorizationDecision.Allowed : CoapAuthorizationDecision.Forbidden());

    /// <summary>
    /// The peer has the pre-shared key of an identity that pleases a condition (RFC 7252 section 9.1.3.1); without one 4.01, with another
    /// one 4.03.
    /// </summary>
    /// <param name="condition">Looks at the identity; null for any.</param>
    /// <returns>This object.</returns>
    public CoapAuthorizationPolicyBuilder RequirePskIdentity(Func<string, bool>? condition = null) =>
        Require(context => context.PskIdentity is not { } identity ? CoapAuthorizationDecision.Unauthorized("Show a pre-shared key.")
            : condition is null || condition(identity) ? CoapAuthorizationDecision.Allowed : CoapAuthorizationDecision.Forbidden());

    /// <summary>
    /// The request is protected by OSCORE (RFC 8613), and the peer that has the keys pleases a condition; without OSCORE 4.01, another
    /// peer 4.03. Over which transport it came does not matter.
    /// </summary>
    /// <param name="condition">Looks at the identity, such as its <see cref="OscoreIdentity.Kid"/>, or after EDHOC its
    /// <see cref="OscoreIdentity.Owner"/>; null for any.</param>
    /// <returns>This object.</returns>
    public CoapAuthorizationPolicyBuilder RequireOscore(Func<OscoreIdentity, bool>? condition = null) =>
        Require(context => context.Oscore is not { } identity ? CoapAuthorizationDecision.Unauthorized("Come with OSCORE.")
            : condition is null || condition(identity) ? CoapAuthorizationDecision.Allowed : CoapAuthorizationDecision.Forbidden());

    /// <summary>
    /// It is proven that the peer receives at its address; otherwise 4.01 with an Echo, which a client that knows RFC 9175 answers by
    /// itself. Keeps forged addresses out, such as before a limit for each address.
    /// </summary>
    /// <returns>This object.</returns>
    public CoapAuthorizationPolicyBuilder RequireVerifiedAddress() =>
        Require(static context => context.IsVerified
            ? CoapAuthorizationDecision.Allowed
            : CoapAuthorizationDecision.Refused(CoapResults.FreshnessRequired()));

    /// <summary>A condition is met; otherwise 4.03 for peers with an identity and 4.01 for those without.</summary>
    /// <param name="condition">Looks at who asks, and for what.</param>
    /// <returns>This object.</returns>
    public CoapAuthorizationPolicyBuilder Require(Func<CoapAuthorizationContext, bool> condition)
    {
        ArgumentNullException.ThrowIfNull(condition);
        return Require(context => condition(context) ? CoapAuthorizationDecision.Allowed
            : context.IsKnown ? CoapAuthorizationDecision.Forbidden() : CoapAuthorizationDecision.Unauthorized());
    }

    /// <summary>A function decides.</summary>
    /// <param name="requirement">Decides; must be quick.</param>
    /// <returns>This object.</returns>
    public CoapAuthorizationPolicyBuilder Require(Func<CoapAuthorizationContext, CoapAuthorizationDecision> requirement)
    {
        ArgumentNullException.ThrowIfNull(requirement);
        return Require((context, _) => new ValueTask<CoapAuthorizationDecision>(requirement(context)));
    }

    /// <summary>A function decides that may take its time.</summary>
    /// <param name="requirement">Decides; is given a token that is cancelled when nobody waits for the answer any more.</param>
    /// <returns>This object.</returns>
    public CoapAuthorizationPolicyBuilder Require(
        Func<CoapAuthorizationContext, CancellationToken, ValueTask<CoapAuthorizationDecision>> requirement)
    {
        ArgumentNullException.ThrowIfNull(requirement);
        _requirements.Add(requirement);
        return this;
    }

    /// <summary>A service decides.</summary>
    /// <typeparam name="TAuthorizer">The service; where it is not registered, one is made for each request, with services for the
    /// parameters of its constructor.</typeparam>
    /// <returns>This object.</returns>
    public CoapAuthorizationPolicyBuilder RequireAuthorizer<[DynamicallyAccessedMembers(
        DynamicallyAccessedMemberTypes.PublicConstructors)] TAuthorizer>()
        where TAuthorizer : class, ICoapAuthorizer =>
        Require(static (context, cancellationToken) =>
            RequestService.GetUndisposed<TAuthorizer>(context.Request, $"The authorizer {typeof(TAuthorizer).Name}")
                .AuthorizeAsync(context, cancellationToken));

    internal CoapAuthorizationPolicy Build() => _requirements.Count != 0
        ? new CoapAuthorizationPolicy([.. _requirements])
        : throw new InvalidOperationException("A policy without requirements would let everybody pass. Use AllowAnonymous for that.");
}
