using Xunit.Abstractions;
using Xunit.Sdk;

namespace CoAP.NET.Cluster.Tests.Engines;

/// <summary>Makes the test case of an <see cref="EngineFactAttribute"/>.</summary>
public sealed class EngineFactDiscoverer(IMessageSink messages) : IXunitTestCaseDiscoverer
{
    public IEnumerable<IXunitTestCase> Discover(
        ITestFrameworkDiscoveryOptions discoveryOptions, ITestMethod testMethod, IAttributeInfo factAttribute) =>
    [
        new EngineTestCase(
            messages, discoveryOptions.MethodDisplayOrDefault(), discoveryOptions.MethodDisplayOptionsOrDefault(), testMethod),
    ];
}
