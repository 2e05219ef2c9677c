namespace CoAP.NET.Hosting;

/// <summary>Decides in your own code whether to serve a request, for example with a database query.</summary>
/// <remarks>Add it to a policy with <see cref="CoapAuthorizationPolicyBuilder.RequireAuthorizer{TAuthorizer}"/>.</remarks>
public interface ICoapAuthorizer
{
    /// <summary>Decides on a request.</summary>
    /// <param name="context">The request, its peer and its route.</param>
    /// <param name="cancellationToken">Cancelled when the caller no longer waits for the answer.</param>
    /// <returns>The decision.</returns>
    ValueTask<CoapAuthorizationDecision> AuthorizeAsync(CoapAuthorizationContext context, CancellationToken cancellationToken);
}
