namespace CoAP.NET.Caching;

/// <summary>The result of a cache lookup.</summary>
/// <param name="Fresh">The response to use without a request; null if there is none.</param>
/// <param name="Candidates">Otherwise the stored responses that the server may validate, newest first.</param>
/// <param name="Stamp">The state of the URI at the lookup; a response is stored only if the resource did not change in between.</param>
internal readonly record struct CacheLookup(CoapResponse? Fresh, StoredResponse[] Candidates, long Stamp);
