using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text.RegularExpressions;
using System.Xml.Linq;
using CoAP.NET.Site.Reference;

namespace CoAP.NET.Site.Tests.Reference;

/// <summary>The reference of the real libraries.</summary>
public sealed partial class WholeReferenceTests
{
    private const BindingFlags Declared = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static
        | BindingFlags.DeclaredOnly;

    private static readonly IReadOnlyDictionary<string, string> s_pages = DeclaredLibrary.Real.Pages;

    [Fact]
    public void Every_library_that_ships_is_in_it_and_nothing_else()
    {
        string[] packed = [.. Directory.EnumerateFiles(Path.Combine(Repository.Root, "src"), "*.csproj", SearchOption.AllDirectories)
            .Where(static file => XDocument.Load(file).Descendants("IsPackable").Any(static value => value.Value == "true"))
            .Select(static file => Path.GetFileNameWithoutExtension(file))
            .Except(["CoAP.NET.Cli", "CoAP.NET.Templates"])
            .Order(StringComparer.Ordinal)];
        Assert.Equal(packed, ShippedPackage.All(Repository.Root).Select(static package => package.Name).Order(StringComparer.Ordinal));
    }

    [Fact]
    public void Every_reference_of_a_comment_names_something() => Assert.Empty(DeclaredLibrary.Real.Unresolved);

    [Fact]
    public void Every_link_leads_to_a_page_and_its_section()
    {
        Dictionary<string, HashSet<string>> anchors = s_pages.ToDictionary(
            static page => page.Key,
            static page => Anchor().Matches(page.Value).Select(static match => match.Groups[1].Value + match.Groups[2].Value).ToHashSet());
        (string Page, string Target)[] links = [.. s_pages.SelectMany(static page =>
            Link().Matches(page.Value).Select(match => (page.Key, match.Groups[1].Value)))];

        Assert.True(links.Length > 1_000);
        Assert.Empty(links.Where(link => !(link.Target.Split('#') is [string page, .. string[] anchor]
            && anchors.TryGetValue(page, out HashSet<string>? there) && anchor.All(there.Contains))).Take(10));
    }

    [Fact]
    public void No_public_type_or_member_is_missing()
    {
        string[] missing = [.. ShippedPackage.All(Repository.Root).SelectMany(static package =>
            Assembly.Load(package.Name).GetExportedTypes().Where(static type => !type.Name.Contains('<', StringComparison.Ordinal))
                .SelectMany(type => Missing(package, type)))];
        Assert.Empty(missing.Take(20));
    }

    [Theory]
    [InlineData("GetAsync", "CoAP.NET")]
    [InlineData("PutAsync", "CoAP.NET")]
    [InlineData("ObserveAsync", "CoAP.NET")]
    public void The_page_of_the_client_lists_its_requests_with_their_namespace(string name, string imported)
    {
        string page = s_pages["/reference/CoAP.NET.Dataflow/CoAP.NET/CoapClient.md"];
        string extensions = page[page.IndexOf("## Extension methods\n", StringComparison.Ordinal)..];
        Assert.Matches($@"\| \[`{name}`\]\(\S+\) \| `{Regex.Escape(imported)}` \|", extensions);
    }

    [Fact]
    public void Every_member_has_a_summary()
    {
        string[] silent = [.. s_pages.SelectMany(static page =>
            SilentMember().Matches(page.Value).Select(match => $"{page.Key} {match.Groups[1].Value}"))];
        Assert.Empty(silent.Take(20));
    }

    [Fact]
    public void No_text_outside_of_code_begins_a_template()
    {
        string[] open = [.. s_pages.Where(static page =>
            Code().Replace(page.Value, string.Empty).Replace("<span v-pre>{{</span>", "", StringComparison.Ordinal)
                .Contains("{{", StringComparison.Ordinal)).Select(static page => page.Key)];
        Assert.Empty(open);
    }

    private static IEnumerable<string> Missing(ShippedPackage package, Type type)
    {
        string name = type.FullName![(type.Namespace!.Length + 1)..].Replace('+', '.').Replace('`', '-');
        if (!s_pages.TryGetValue($"/reference/{package.Folder}/{type.Namespace}/{name}.md", out string? page))
        {
            return [$"{type.FullName}: no page"];
        }

        return type.IsSubclassOf(typeof(Delegate)) ? [] : type.GetMembers(Declared)
            .Where(member => IsOpen(member, type) && member is not Type && !member.Name.StartsWith('<'))
            .Where(member => !IsOnPage(member, page))
            .Select(member => $"{type.FullName}: {member.Name}");
    }

    private static bool IsOnPage(MemberInfo member, string page) => member switch
    {
        ConstructorInfo => page.Contains("{#m-new-", StringComparison.Ordinal),
        MethodInfo { IsSpecialName: true } =>
            page.Contains($"{{#m-{member.Name.ToLowerInvariant().Replace('_', '-')}", StringComparison.Ordinal),
        PropertyInfo property when property.GetIndexParameters().Length > 0 => page.Contains("### this\\[", StringComparison.Ordinal),
        FieldInfo { DeclaringType.IsEnum: true } => page.Contains($"`{member.Name}` | ", StringComparison.Ordinal),
        _ => Regex.IsMatch(page, $@"^### (\S+\.)?{Regex.Escape(MarkdownText.Escape(member.Name))}(\W|$)", RegexOptions.Multiline),
    };

    // Public, or protected where a type can be derived from; not what the compiler adds by itself, and no accessors.
    private static bool IsOpen(MemberInfo member, Type type) => member.GetCustomAttribute<CompilerGeneratedAttribute>() is null
        && member switch
    {
        ConstructorInfo constructor => !constructor.IsStatic && IsOpen(constructor, type)
            && !(type.IsValueType && constructor.GetParameters().Length == 0)
            && !(constructor.GetParameters() is [{ } only] && only.ParameterType == type),
        MethodInfo { IsSpecialName: true } method =>
            method.Name.StartsWith("op_", StringComparison.Ordinal) && IsOpen(method, type),
        MethodBase method => IsOpen(method, type) && !method.Name.Contains('.', StringComparison.Ordinal),
        PropertyInfo property => property.GetAccessors(nonPublic: true)
            .Any(accessor => IsOpen(accessor, type) && !accessor.Name.Contains('.', StringComparison.Ordinal)),
        EventInfo @event => IsOpen(@event.AddMethod!, type),
        FieldInfo field => (field.IsPublic || (!type.IsSealed && field.IsFamily)) && field.Name != "value__",
        _ => false,
    };

    private static bool IsOpen(MethodBase method, Type type) =>
        method.IsPublic || (!type.IsSealed && (method.IsFamily || method.IsFamilyOrAssembly));

    [GeneratedRegex(@"\{#([^}]*)\}|<a id=""([^""]*)""")]
    private static partial Regex Anchor();

    [GeneratedRegex(@"\]\((/reference/[^)]*)\)")]
    private static partial Regex Link();

    // A heading that a block of code follows, without a sentence between.
    [GeneratedRegex(@"^### (.*)\n\n```", RegexOptions.Multiline)]
    private static partial Regex SilentMember();

    [GeneratedRegex(@"```.*?```|`[^`\n]*`", RegexOptions.Singleline)]
    private static partial Regex Code();
}
