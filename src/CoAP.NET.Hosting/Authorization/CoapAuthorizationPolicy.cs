namespace CoAP.NET.Hosting;

/// <summary>
/// What a request must meet to be served: a list of requirements, of which the first one that is not met gives the answer.
/// </summary>
public sealed class CoapAuthorizationPolicy
{
    private readonly Func<CoapAuthorizationContext, CancellationToken, ValueTask<CoapAuthorizationDecision>>[] _requirements;

    internal CoapAuthorizationPolicy(
        Func<CoapAuthorizationContext, CancellationToken, ValueTask<CoapAuthorizationDecision>>[] requirements) =>
        _requirements = requirements;

    /// <summary>That the peer has an identity, as with DTLS or TLS and a certificate or key of its own.</summary>
    public static CoapAuthorizationPolicy Authenticated { get; } = Make(static policy => policy.RequireIdentity());

    /// <summary>Makes a policy.</summary>
    /// <param name="build">Adds requirements, at least one.</param>
    /// <returns>The policy.</returns>
    /// <exception cref="InvalidOperationException">No requirement was added: such a policy would let everybody pass.</exception>
    public static CoapAuthorizationPolicy Make(Action<CoapAuthorizationPolicyBuilder> build)
    {
        ArgumentNullException.ThrowIfNull(build);
        CoapAuthorizationPolicyBuilder builder = new();
        build(builder);
        return builder.Build();
    }

    /// <summary>Decides about a request.</summary>
    /// <param name="context">Who asks, and for what.</param>
    /// <param name="cancellationToken">Cancelled when nobody waits for the answer any more.</param>
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
