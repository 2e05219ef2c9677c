namespace CoAP.NET;

/// <summary>Where the Exchanges stage learns what routes say of bodies, without knowing routes.</summary>
internal interface IBodyPolicies
{
    /// <summary>Finds what holds for the body of a request.</summary>
    /// <param name="request">The request, as far as it came.</param>
    /// <param name="environment">For the bounds.</param>
    /// <returns>Null when the Resource stage would refuse the request whatever follows; it then says why.</returns>
    BodyPolicy? FindBodyPolicy(CoapRequest request, CoapEnvironment environment);

    /// <summary>Says of the first block of a body that is to be put together whether it may be: freshness, limits and filters that do not need the body.</summary>
    /// <param name="exchange">The request, with the block. What it says of its body is for the time of the call.</param>
    /// <param name="environment">For the bounds.</param>
    /// <returns>The answer that refuses it; null when it may be put together.</returns>
    ValueTask<CoapResult?> AdmitAsync(Exchanges.CoapExchange exchange, CoapEnvironment environment);
}
