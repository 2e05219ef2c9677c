namespace CoAP.NET.Hosting;

/// <summary>
/// Decides by code of yours whether a request may be served, such as by asking a database. A policy names it with
/// <see cref="CoapAuthorizationPolicyBuilder.RequireAuthorizer{TAuthorizer}"/>.
/// </summary>
public interface ICoapAuthorizer
{
    /// <summary>Decides about a request.</summary>
    /// <param name="context">Who asks, and for what.</param>
    /// <param name="cancellationToken">Cancelled when nobody waits for the answer any more.</param>
    /// <returns>The decision.</returns>
    ValueTask<CoapAuthorizationDecision> AuthorizeAsync(CoapAuthorizationContext context, CancellationToken cancellationToken);
}
