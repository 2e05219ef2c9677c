using System.ComponentModel;
using System.Reflection;
using Xunit.Abstractions;
using Xunit.Sdk;

namespace CoAP.NET.Cluster.Tests.Engines;

/// <summary>A test case that asks the class in which it runs, which may inherit it, whether its engine is there.</summary>
public sealed class EngineTestCase : XunitTestCase
{
    [Obsolete("For deserialization.")]
    [EditorBrowsable(EditorBrowsableState.Never)]
    public EngineTestCase()
    {
    }

    public EngineTestCase(IMessageSink messages, TestMethodDisplay display, TestMethodDisplayOptions options, ITestMethod method)
        : base(messages, display, options, method)
    {
    }

    protected override string? GetSkipReason(IAttributeInfo factAttribute) =>
        base.GetSkipReason(factAttribute)
        ?? TestMethod.TestClass.Class.ToRuntimeType().GetCustomAttribute<NeedsProgramsAttribute>(inherit: true)?.SkipReason();
}
