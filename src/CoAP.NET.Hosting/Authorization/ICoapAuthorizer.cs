namespace CoAP.NET.Hosting;

/// <summary>Decides in your own code whether to serve a request, for example with a database query.</summary>
/// <remarks>Add it to a policy with <see cref="CoapAuthorizationPolicyBuilder.RequireAuthorizer{TAuthorizer}"/>.</remarks>
public interface ICoapAuthorizer
{
    /// <summary>Decides on a request.</summary>
    /// <param name="context">Who asks, and for what.</param>
    /// <param name="cancellationToken">Cancelled when nobody waits for the answer any more.</param>
    /// <returns>The decision.</returns>
    ValueTask<CoapAuthorizationDecision> AuthorizeAsync(CoapAuthorizationContext context, CancellationToken cancellationToken);
}
