using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Exchanges;

/// <summary>The stateless clients of an endpoint. Lookups take no lock, and cost a field read while there is none.</summary>
internal sealed class StatelessReceivers
{
    private readonly Lock _gate = new();
    private StatelessTokenHandler[] _all = [];
    private bool _isShared;

    /// <summary>Adds a client.</summary>
    /// <param name="tokens">Its tokens.</param>
    /// <param name="isShared">Whether other processes create tokens for clients of its name.</param>
    /// <exception cref="InvalidOperationException">Another client has the name, so their tokens could not be distinguished.</exception>
    public void Add(StatelessTokenHandler tokens, bool isShared)
    {
        lock (_gate)
        {
            if (isShared && _all.Any(other => other.Name == tokens.Name))
            {
                throw new InvalidOperationException(
                    $"This endpoint already has a stateless client with the name '{tokens.Name}', and with a shared secret responses to "
                        + "requests of other processes are distinguished by the name. Set CoapStatelessOptions.Name.");
            }

            _isShared = isShared;
            Volatile.Write(ref _all, [.. _all, tokens]);
        }
    }

    public void Remove(StatelessTokenHandler tokens)
    {
        lock (_gate)
        {
            Volatile.Write(ref _all, Array.FindAll(_all, other => other != tokens));
        }
    }

    /// <summary>Finds the client that created a token.</summary>
    public bool TryOpen(in CoapToken token, CoapChannel peer, [NotNullWhen(true)] out StatelessTokenHandler? owner, out byte[] state,
        out TimeSpan age)
    {
        if (token.IsExtended)
        {
            StatelessTokenHandler[] all = Volatile.Read(ref _all);
            if (TryOpen(all, token, peer, isOwn: true, out owner, out state, out age)
                || (_isShared && TryOpen(all, token, peer, isOwn: false, out owner, out state, out age)))
            {
                return true;
            }
        }

        owner = null;
        state = [];
        age = default;
        return false;
    }

    private static bool TryOpen(StatelessTokenHandler[] all, in CoapToken token, CoapChannel peer, bool isOwn,
        [NotNullWhen(true)] out StatelessTokenHandler? owner, out byte[] state, out TimeSpan age)
    {
        foreach (StatelessTokenHandler tokens in all)
        {
            if (tokens.TryOpen(token, peer, isOwn, out state, out age))
            {
                owner = tokens;
                return true;
            }
        }

        owner = null;
        state = [];
        age = default;
        return false;
    }
}
