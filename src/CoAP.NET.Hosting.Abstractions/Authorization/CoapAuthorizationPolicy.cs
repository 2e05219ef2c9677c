namespace CoAP.NET.Hosting;

/// <summary>A list of requirements that a request must meet; the first one that it does not meet determines the answer.</summary>
public sealed class CoapAuthorizationPolicy
{
    private readonly Func<CoapAuthorizationContext, CancellationToken, ValueTask<CoapAuthorizationDecision>>[] _requirements;

    internal CoapAuthorizationPolicy(
        Func<CoapAuthorizationContext, CancellationToken, ValueTask<CoapAuthorizationDecision>>[] requirements) =>
        _requirements = requirements;

    /// <summary>A policy that requires a peer with an identity, for example from DTLS or TLS with its own certificate or key.</summary>
    internal static CoapAuthorizationPolicy Authenticated { get; } = Make(static policy => policy.RequireIdentity());

    /// <summary>Creates a policy.</summary>
    /// <param name="build">Adds requirements, at least one.</param>
    /// <returns>The policy.</returns>
    /// <exception cref="InvalidOperationException">There is no requirement: such a policy would admit every peer.</exception>
    public static CoapAuthorizationPolicy Make(Action<CoapAuthorizationPolicyBuilder> build)
    {
        ArgumentNullException.ThrowIfNull(build);
        CoapAuthorizationPolicyBuilder builder = new();
        build(builder);
        return builder.Build();
    }

    /// <summary>Decides on a request.</summary>
    /// <param name="context">The request, its peer and its route.</param>
    /// <param name="cancellationToken">Cancelled when the caller no longer waits for the answer.</param>
    /// <returns>The decision.</returns>
    public ValueTask<CoapAuthorizationDecision> AuthorizeAsync(CoapAuthorizationContext context,
        CancellationToken cancellationToken = default)
    {
        for (int i = 0; i < _requirements.Length; i++)
        {
            ValueTask<CoapAuthorizationDecision> pending = _requirements[i](context, cancellationToken);
            if (!pending.IsCompletedSuccessfully)
            {
                return AwaitAsync(i, pending, context, cancellationToken);
            }

            CoapAuthorizationDecision decision = pending.Result;
            if (!decision.IsAllowed)
            {
                return new ValueTask<CoapAuthorizationDecision>(decision);
            }
        }

        return new ValueTask<CoapAuthorizationDecision>(CoapAuthorizationDecision.Allowed);
    }

    private async ValueTask<CoapAuthorizationDecision> AwaitAsync(
        int i, ValueTask<CoapAuthorizationDecision> pending, CoapAuthorizationContext context, CancellationToken cancellationToken)
    {
        CoapAuthorizationDecision decision = await pending.ConfigureAwait(false);
        while (decision.IsAllowed && ++i < _requirements.Length)
        {
            decision = await _requirements[i](context, cancellationToken).ConfigureAwait(false);
        }

        return decision;
    }
}
