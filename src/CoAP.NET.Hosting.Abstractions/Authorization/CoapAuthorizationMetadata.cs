namespace CoAP.NET.Hosting.Authorization;

/// <summary>Metadata of a route: the policy that its requests must meet.</summary>
internal sealed class CoapAuthorizationMetadata
{
    internal CoapAuthorizationMetadata(string? policyName, CoapAuthorizationPolicy? policy)
    {
        PolicyName = policyName;
        Policy = policy;
    }

    /// <summary>The name of the policy; null for the default policy and for one without a name.</summary>
    public string? PolicyName { get; }

    /// <summary>The policy; null if it has a name or is the default policy.</summary>
    public CoapAuthorizationPolicy? Policy { get; }
}
