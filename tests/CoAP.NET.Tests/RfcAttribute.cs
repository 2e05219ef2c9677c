using Xunit.Sdk;

namespace CoAP.NET.Tests;

/// <summary>Names the rows of the RFC checklist that a test shows, such as <c>7252-4.5-1</c>.</summary>
[TraitDiscoverer("CoAP.NET.Tests.RfcDiscoverer", "CoAP.NET.Tests")]
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method, AllowMultiple = true)]
public sealed class RfcAttribute(params string[] rows) : Attribute, ITraitAttribute
{
    public IReadOnlyList<string> Rows { get; } = rows;
}
