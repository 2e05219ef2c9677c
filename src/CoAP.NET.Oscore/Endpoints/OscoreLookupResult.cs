namespace CoAP.NET.Oscore.Endpoints;

/// <summary>The result of the search for a security context.</summary>
/// <param name="Context">The context; null if there is none here.</param>
/// <param name="Elsewhere">The failure that says that another node has the context; null for none.</param>
internal readonly record struct OscoreLookupResult(OscoreContext? Context, OscoreStoreException? Elsewhere = null)
{
    /// <summary>Returns what relays a request to the node that has the context; null if there is none.</summary>
    public Action<CoapMessage>? FindRelay(CoapChannel channel) =>
        Elsewhere?.Elsewhere is { } elsewhere ? elsewhere.Locator.FindRelay(elsewhere.Key, channel) : null;
}
