using Xunit.Sdk;

namespace CoAP.NET.Cluster.Tests.Engines;

/// <summary>A test of a suite that runs against several engines; skipped where the engine of the class is not installed.</summary>
[AttributeUsage(AttributeTargets.Method)]
[XunitTestCaseDiscoverer("CoAP.NET.Cluster.Tests.Engines.EngineFactDiscoverer", "CoAP.NET.Cluster.Tests")]
public sealed class EngineFactAttribute : FactAttribute;
