using System.Diagnostics.CodeAnalysis;
using CoAP.NET.Transports;

namespace CoAP.NET.Exchanges;

/// <summary>The stateless clients of an endpoint. Look-ups take no lock and cost a field read while there is none.</summary>
internal sealed class StatelessReceivers
{
    private readonly Lock _gate = new();
    private StatelessTokens[] _all = [];

    public void Add(StatelessTokens tokens)
    {
        lock (_gate)
        {
            Volatile.Write(ref _all, [.. _all, tokens]);
        }
    }

    public void Remove(StatelessTokens tokens)
    {
        lock (_gate)
        {
            Volatile.Write(ref _all, Array.FindAll(_all, other => other != tokens));
        }
    }

    /// <summary>Whose token this is.</summary>
    /// <param name="token">The token of a response that nobody waits for.</param>
    /// <param name="peer">Who sent it.</param>
    /// <param name="owner">The one that made the token.</param>
    /// <param name="state">What it had put into it.</param>
    /// <param name="age">How long ago.</param>
    public bool TryOpen(in CoapToken token, CoapChannel peer, [NotNullWhen(true)] out StatelessTokens? owner, out byte[] state,
        out TimeSpan age)
    {
        if (token.IsExtended)
        {
            foreach (StatelessTokens tokens in Volatile.Read(ref _all))
            {
                if (tokens.TryOpen(token, peer, out state, out age))
                {
                    owner = tokens;
                    return true;
                }
            }
        }

        owner = null;
        state = [];
        age = default;
        return false;
    }
}
