using System.Reflection;
using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Structure;

/// <summary>Names of public types, namespaces and methods.</summary>
public class NamingTests
{
    private static readonly Type[] s_public = [.. SourceTree.Assemblies.SelectMany(static assembly => assembly.GetExportedTypes())];
    private static readonly Assembly s_testing = typeof(VirtualRandom).Assembly;

    [Fact]
    public void No_namespace_bears_a_types_name()
    {
        Type[] types = [
            .. SourceTree.Assemblies.Append(s_testing).SelectMany(static assembly => assembly.GetTypes())
                .Where(type => type is { IsNested: false, Namespace: not null })];
        HashSet<string> segments = [.. types.SelectMany(type => type.Namespace!.Split('.')).Where(segment => segment is not "System")];
        string[] clashes = [.. types.Where(type => type.Namespace!.StartsWith("CoAP", Ordinal)
            && segments.Contains(PlainName(type))).Select(type => type.FullName!)];
        Assert.Contains("Options", segments);
        Assert.Empty(clashes);
    }

    [Fact]
    public void Public_types_of_the_library_begin_with_Coap()
    {
        string[] others = [
            .. s_public.Where(type => !type.IsNested && !MayBeCalledSo(type)).Select(type => type.FullName!).Order()];
        Assert.Empty(others);
    }

    [Fact]
    public void Namespaces_follow_folders_or_are_the_root_namespace()
    {
        // A chapter below may have a folder for each namespace of its types.
        string[] others = [.. SourceTree.FolderOfType.Where(entry => Namespace(entry.Key) != "CoAP.NET"
            && !entry.Value.Split('/').Contains(Namespace(entry.Key).Split('.')[2]))
            .Select(entry => entry.Key).Order()];
        Assert.Empty(others);
    }

    [Fact]
    public void Asynchronous_methods_end_in_Async_and_take_the_token_last()
    {
        string[] wrong = [.. s_public.Where(type => !type.IsAssignableTo(typeof(Delegate)))
            .SelectMany(type =>
                type.GetMethods(BindingFlags.Public | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly))
            .Where(method => !method.IsSpecialName && IsTask(method.ReturnType))
            .Where(method => !method.Name.EndsWith("Async", Ordinal)
                || method.GetParameters().SkipLast(1).Any(parameter => parameter.ParameterType == typeof(CancellationToken)))
            .Select(method => $"{method.DeclaringType}.{method.Name}")];
        Assert.Empty(wrong);
    }

    [Fact]
    public void Every_method_of_a_package_that_takes_a_URI_has_an_overload_with_a_text()
    {
        string[] members = [.. Repository.FilesIn(["src"], "PublicAPI.*.txt").SelectMany(File.ReadAllLines).Select(WithoutNull)];
        string[] takers = [.. members.Where(static member => member.Contains("CoAP.NET.CoapUri ", Ordinal)
            && !member.Contains("CoAP.NET.CoapUri.", Ordinal))];
        Assert.True(takers.Length > 30);
        Assert.Empty(takers.Select(static member => member.Replace("CoAP.NET.CoapUri ", "string ", Ordinal)).Except(members));
    }

    private static string WithoutNull(string member) =>
        member.Replace("!", "", Ordinal).Replace("?", "", Ordinal).Replace(" = null", "", Ordinal);

    private static bool MayBeCalledSo(Type type) =>
        type.Name.StartsWith("Coap", Ordinal)
        || type.Name.EndsWith("Option", Ordinal) || type.Name.EndsWith("Option`1", Ordinal)
        || type.Name.StartsWith("Option", Ordinal)
        || type.Name is nameof(BlockValue) or nameof(NoResponseClasses)
        || (type.IsInterface
            && (type.Name.StartsWith("ICoap", Ordinal) || type.Name.StartsWith("IOption", Ordinal)
                || type.Name.StartsWith("ITypedOption", Ordinal)));

    private static bool IsTask(Type type) =>
        type == typeof(Task) || type == typeof(ValueTask)
        || (type.IsGenericType
            && (type.GetGenericTypeDefinition() == typeof(Task<>) || type.GetGenericTypeDefinition() == typeof(ValueTask<>)));

    private static string PlainName(Type type) =>
        type.Name.Contains('`', Ordinal) ? type.Name[..type.Name.IndexOf('`', Ordinal)] : type.Name;

    private static string Namespace(string fullName) => fullName[..fullName.LastIndexOf('.')];
}
