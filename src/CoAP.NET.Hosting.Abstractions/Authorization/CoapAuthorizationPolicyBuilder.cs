using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Hosting.Authorization;

namespace CoAP.NET.Hosting;

/// <summary>
/// Builds a policy from requirements: a request must meet all, and the first one that it does not meet determines the answer.
/// </summary>
/// <remarks>The answer is 4.01 if better credentials would help, otherwise 4.03 (RFC 7252 sections 5.9.2.2 and 5.9.2.4).</remarks>
public sealed class CoapAuthorizationPolicyBuilder
{
    private readonly List<Func<CoapAuthorizationContext, CancellationToken, ValueTask<CoapAuthorizationDecision>>> _requirements = [];

    /// <summary>Requires a transport with DTLS or TLS; otherwise 4.01.</summary>
    /// <returns>This instance.</returns>
    /// <remarks>Unlike <c>RequireTransportSecurity</c>, it keeps the routes in the list of resources.</remarks>
    public CoapAuthorizationPolicyBuilder RequireSecureTransport() =>
        Require(static context => context.IsSecure
            ? CoapAuthorizationDecision.Allowed
            : CoapAuthorizationDecision.Unauthorized("Use a secured transport, such as coaps or coaps+tcp."));

    /// <summary>Requires one of these schemes of the transport; otherwise 4.01.</summary>
    /// <param name="schemes">The schemes, such as <c>coaps+tcp</c>; at least one.</param>
    /// <returns>This instance.</returns>
    /// <exception cref="ArgumentException">There is none.</exception>
    public CoapAuthorizationPolicyBuilder RequireScheme(params string[] schemes)
    {
        ArgumentNullException.ThrowIfNull(schemes);
        if (schemes.Length == 0)
        {
            throw new ArgumentException("Name at least one scheme, such as coaps+tcp.", nameof(schemes));
        }

        string[] own = [.. schemes];
        string diagnostic = $"Use one of: {string.Join(", ", own)}.";
        return Require(context => own.Contains(context.Scheme, StringComparer.OrdinalIgnoreCase)
            ? CoapAuthorizationDecision.Allowed
            : CoapAuthorizationDecision.Unauthorized(diagnostic));
    }

    /// <summary>Requires a peer that has proved its identity (<see cref="CoapPeer.IsKnown"/>); otherwise 4.01.</summary>
    /// <returns>This instance.</returns>
    /// <remarks>
    /// A DTLS or TLS peer without credentials of its own has no identity, and neither has a user of a web application who has not logged
    /// in.
    /// </remarks>
    public CoapAuthorizationPolicyBuilder RequireIdentity() =>
        Require(static context => context.IsKnown
            ? CoapAuthorizationDecision.Allowed
            : CoapAuthorizationDecision.Unauthorized("Prove your identity."));

    /// <summary>Requires a peer whose proven identity meets a condition; without an identity 4.01, with another one 4.03.</summary>
    /// <typeparam name="TIdentity">The type of the identity, such as <see cref="CoapTlsPeerIdentity"/>.</typeparam>
    /// <param name="condition">Checks the identity.</param>
    /// <returns>This instance.</returns>
    public CoapAuthorizationPolicyBuilder RequireIdentity<TIdentity>(Func<TIdentity, bool> condition)
        where TIdentity : ICoapPeerIdentity
    {
        ArgumentNullException.ThrowIfNull(condition);
        return Require(context => !context.IsKnown ? CoapAuthorizationDecision.Unauthorized("Prove your identity.")
            : context.Identity is TIdentity identity && condition(identity) ? CoapAuthorizationDecision.Allowed
            : CoapAuthorizationDecision.Forbidden());
    }

    /// <summary>Requires a peer whose certificate meets a condition; without one 4.01, with another one 4.03.</summary>
    /// <param name="condition">Checks the certificate; null for any. Must not keep it: the connection disposes it.</param>
    /// <returns>This instance.</returns>
    /// <remarks>The transport has already checked that it is valid, according to its options.</remarks>
    public CoapAuthorizationPolicyBuilder RequireCertificate(Func<X509Certificate2, bool>? condition = null) =>
        Require(context => context.Certificate is not { } certificate ? CoapAuthorizationDecision.Unauthorized("Use a certificate.")
            : condition is null || condition(certificate) ? CoapAuthorizationDecision.Allowed : CoapAuthorizationDecision.Forbidden());

    /// <summary>
    /// Requires a peer with the pre-shared key of an identity that meets a condition (RFC 7252 section 9.1.3.1); without one 4.01, with
    /// another one 4.03.
    /// </summary>
    /// <param name="condition">Checks the identity; null for any.</param>
    /// <returns>This instance.</returns>
    public CoapAuthorizationPolicyBuilder RequirePskIdentity(Func<string, bool>? condition = null) =>
        Require(context => context.PskIdentity is not { } identity ? CoapAuthorizationDecision.Unauthorized("Use a pre-shared key.")
            : condition is null || condition(identity) ? CoapAuthorizationDecision.Allowed : CoapAuthorizationDecision.Forbidden());

    /// <summary>
    /// Requires a peer that has proved its address; otherwise 4.01 with an Echo, which a client with RFC 9175 answers by itself.
    /// </summary>
    /// <returns>This instance.</returns>
    /// <remarks>It excludes forged addresses, for example before a limit per address.</remarks>
    public CoapAuthorizationPolicyBuilder RequireVerifiedAddress() =>
        Require(static context => context.IsVerified
            ? CoapAuthorizationDecision.Allowed
            : CoapAuthorizationDecision.Refused(CoapResults.FreshnessRequired()));

    /// <summary>Requires a condition; otherwise 4.03 for peers with an identity and 4.01 for those without.</summary>
    /// <param name="condition">Checks the request and its peer.</param>
    /// <returns>This instance.</returns>
    public CoapAuthorizationPolicyBuilder Require(Func<CoapAuthorizationContext, bool> condition)
    {
        ArgumentNullException.ThrowIfNull(condition);
        return Require(context => condition(context) ? CoapAuthorizationDecision.Allowed
            : context.IsKnown ? CoapAuthorizationDecision.Forbidden() : CoapAuthorizationDecision.Unauthorized());
    }

    /// <summary>Adds a function that decides.</summary>
    /// <param name="requirement">Decides; must be quick.</param>
    /// <returns>This instance.</returns>
    public CoapAuthorizationPolicyBuilder Require(Func<CoapAuthorizationContext, CoapAuthorizationDecision> requirement)
    {
        ArgumentNullException.ThrowIfNull(requirement);
        return Require((context, _) => new ValueTask<CoapAuthorizationDecision>(requirement(context)));
    }

    /// <summary>Adds an asynchronous function that decides.</summary>
    /// <param name="requirement">Decides; its token is cancelled when the caller no longer waits for the answer.</param>
    /// <returns>This instance.</returns>
    public CoapAuthorizationPolicyBuilder Require(
        Func<CoapAuthorizationContext, CancellationToken, ValueTask<CoapAuthorizationDecision>> requirement)
    {
        ArgumentNullException.ThrowIfNull(requirement);
        _requirements.Add(requirement);
        return this;
    }

    /// <summary>Adds a service that decides.</summary>
    /// <typeparam name="TAuthorizer">
    /// The type of the service. If it is not registered, each request gets a new instance, with services for the parameters of its
    /// constructor.
    /// </typeparam>
    /// <returns>This instance.</returns>
    public CoapAuthorizationPolicyBuilder RequireAuthorizer<[DynamicallyAccessedMembers(
        DynamicallyAccessedMemberTypes.PublicConstructors)] TAuthorizer>()
        where TAuthorizer : class, ICoapAuthorizer =>
        Require(static (context, cancellationToken) =>
            RequestServiceResolver.GetUndisposed<TAuthorizer>(context.Request, $"The authorizer {typeof(TAuthorizer).Name}")
                .AuthorizeAsync(context, cancellationToken));

    internal CoapAuthorizationPolicy Build() => _requirements.Count != 0
        ? new CoapAuthorizationPolicy([.. _requirements])
        : throw new InvalidOperationException("A policy without requirements would admit every peer. Use AllowAnonymous for that.");
}
