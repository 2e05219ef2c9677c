namespace CoAP.NET.Tests.Shared;

/// <summary>Names the rows of docs/rfc-rows.md that a test shows, such as <c>8323-4.1-1</c>.</summary>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method, AllowMultiple = true)]
internal sealed class RfcAttribute(params string[] rows) : Attribute
{
    public IReadOnlyList<string> Rows { get; } = rows;
}
