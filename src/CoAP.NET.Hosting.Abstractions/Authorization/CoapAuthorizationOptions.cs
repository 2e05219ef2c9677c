using CoAP.NET.Settings;

namespace CoAP.NET.Hosting;

/// <summary>The policies of an application. Set by <c>services.AddCoapAuthorization(...)</c>.</summary>
[HasSettings]
public sealed partial class CoapAuthorizationOptions
{
    private readonly Dictionary<string, CoapAuthorizationPolicy> _policies = new(StringComparer.Ordinal);

    /// <summary>
    /// The policy of <c>RequireAuthorization()</c> without arguments. Default: an authenticated client.
    /// </summary>
    public partial CoapAuthorizationPolicy DefaultPolicy { get; set; } = CoapAuthorizationPolicy.Authenticated;

    /// <summary>Adds a policy, or replaces the one with the same name.</summary>
    /// <param name="name">The name that routes require.</param>
    /// <param name="policy">The policy.</param>
    /// <exception cref="ArgumentException"><paramref name="name"/> is empty.</exception>
    public void AddPolicy(string name, CoapAuthorizationPolicy policy)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(policy);
        ThrowIfReadOnly();
        _policies[name] = policy;
    }

    /// <summary>Adds a policy, or replaces the one with the same name.</summary>
    /// <param name="name">The name that routes require.</param>
    /// <param name="build">Adds requirements, at least one.</param>
    /// <exception cref="InvalidOperationException">There is no requirement.</exception>
    /// <exception cref="ArgumentException"><paramref name="name"/> is empty.</exception>
    public void AddPolicy(string name, Action<CoapAuthorizationPolicyBuilder> build)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        AddPolicy(name, CoapAuthorizationPolicy.Make(build));
    }

    /// <summary>Finds a policy by name.</summary>
    /// <returns>The policy; null for an unknown name.</returns>
    internal CoapAuthorizationPolicy? FindPolicy(string name) => _policies.GetValueOrDefault(name);
}
