namespace CoAP.NET.Caching;

/// <summary>What a look into the cache gave.</summary>
/// <param name="Fresh">The response to use without asking; null when there is none.</param>
/// <param name="Candidates">Otherwise the stored responses that the server may say to be valid, newest first.</param>
/// <param name="Stamp">The state of the URI when it was looked up; what comes later is stored only if the resource was not changed in
/// between.</param>
internal readonly record struct CacheLookup(CoapResponse? Fresh, StoredResponse[] Candidates, long Stamp);
