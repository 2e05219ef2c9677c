using Xunit.v3;

namespace CoAP.NET.Tests;

/// <summary>Names the rows of the RFC checklist that a test shows, such as <c>7252-4.5-1</c>.</summary>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method, AllowMultiple = true)]
public sealed class RfcAttribute(params string[] rows) : Attribute, ITraitAttribute
{
    public IReadOnlyList<string> Rows { get; } = rows;

    public IReadOnlyCollection<KeyValuePair<string, string>> GetTraits() => [.. Rows.Select(row => KeyValuePair.Create("Rfc", row))];
}
