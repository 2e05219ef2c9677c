using System.Reflection;
using Xunit.v3;

namespace CoAP.NET.Tests.Shared;

/// <summary>
/// The collections of a test project, as ever, and <see cref="VirtualTimeCollection"/>: the framework looks for definitions only in the
/// assembly of the tests.
/// </summary>
/// <param name="assembly">The tests.</param>
public sealed class TestCollections(IXunitTestAssembly assembly) : IXunitTestCollectionFactory
{
    private readonly CollectionPerClassTestCollectionFactory _others = new(assembly);
    private readonly XunitTestCollection _virtualTime = new(
        assembly,
        typeof(VirtualTimeCollection),
        typeof(VirtualTimeCollection).GetCustomAttribute<CollectionDefinitionAttribute>()!.DisableParallelization,
        VirtualTimeCollection.Name);

    public string DisplayName => _others.DisplayName;

    public IXunitTestCollection Get(Type testClass) =>
        testClass.GetCustomAttribute<CollectionAttribute>() is { Name: VirtualTimeCollection.Name } ? _virtualTime : _others.Get(testClass);
}
