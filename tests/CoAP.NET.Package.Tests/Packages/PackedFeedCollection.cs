namespace CoAP.NET.Package.Tests.Packages;

/// <summary>Packs once for all tests that use the packages.</summary>
[CollectionDefinition(Name)]
public sealed class PackedFeedCollection : ICollectionFixture<PackedFeed>
{
    public const string Name = "Packed feed";
}
