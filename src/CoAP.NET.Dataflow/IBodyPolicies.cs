namespace CoAP.NET;

/// <summary>Where the Exchanges stage learns what routes say of bodies, without knowing routes.</summary>
internal interface IBodyPolicies
{
    /// <summary>Finds what holds for the body of a request.</summary>
    /// <param name="request">The request, as far as it came.</param>
    /// <param name="environment">For the bounds.</param>
    /// <returns>Null when the Resource stage would refuse the request whatever follows; it then says why.</returns>
    BodyPolicy? FindBodyPolicy(CoapRequest request, CoapEnvironment environment);
}
