using System.Reflection;
using Xunit.v3;

namespace CoAP.NET.Tests.Shared;

/// <summary>Names the rules of the RFCs that a test shows (tests/CoAP.NET.RfcTable/rows.md), such as <c>7252-4.5-1</c>.</summary>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method, AllowMultiple = true)]
internal sealed class RfcAttribute(params string[] rows) : Attribute, ITraitAttribute, IBeforeAfterTestAttribute
{
    public IReadOnlyList<string> Rows { get; } = rows;

    public IReadOnlyCollection<KeyValuePair<string, string>> GetTraits() => [.. Rows.Select(row => KeyValuePair.Create("Rfc", row))];

    public void Before(MethodInfo methodUnderTest, IXunitTest test)
    {
    }

    public void After(MethodInfo methodUnderTest, IXunitTest test) =>
        RfcResults.Add(Rows, methodUnderTest, test.TestCase.TestMethod.TestClass.Class, TestContext.Current.TestState?.Result);
}
