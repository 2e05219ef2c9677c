using CoAP.NET.Site.Reference;
using CoAP.NET.Site.Tests.Declared;
using Microsoft.CodeAnalysis;

namespace CoAP.NET.Site.Tests.Reference;

/// <summary>The types of the folder Declared, and the real libraries, each loaded once.</summary>
internal static class DeclaredLibrary
{
    private const string Name = "CoAP.NET.Site.Tests";

    public static Library Library { get; } =
        Library.Load([new ShippedPackage(Name, "Shapes.")], Library.References().Append(typeof(Square).Assembly.Location));

    public static ReferencePages Pages { get; } = new(Library);

    public static ReferencePages Real { get; } = new(Library.Load(ShippedPackage.All(Repository.Root)));

    public static INamedTypeSymbol Type(string name) =>
        Library.Types.Single(type => type.MetadataName == name && Surface.NamespaceOf(type) == $"{Name}.Declared");

    public static ISymbol Member(string type, string name) =>
        Surface.MembersOf(Type(type)).Single(member => member.Name == name || Names.OfMember(member) == name);

    public static string Page(string type) => Pages.Pages[$"/reference/{Name}/{Name}.Declared/{type}.md"];
}
