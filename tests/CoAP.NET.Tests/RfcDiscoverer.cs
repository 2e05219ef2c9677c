using Xunit.Abstractions;
using Xunit.Sdk;

namespace CoAP.NET.Tests;

/// <summary>Turns <see cref="RfcAttribute"/> into traits named Rfc.</summary>
public sealed class RfcDiscoverer : ITraitDiscoverer
{
    public IEnumerable<KeyValuePair<string, string>> GetTraits(IAttributeInfo traitAttribute) =>
        ((IEnumerable<object>)traitAttribute.GetConstructorArguments().First())
            .Select(row => new KeyValuePair<string, string>("Rfc", (string)row));
}
