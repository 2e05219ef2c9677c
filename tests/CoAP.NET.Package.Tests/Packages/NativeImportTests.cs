using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;

namespace CoAP.NET.Package.Tests.Packages;

/// <summary>
/// The functions of the C library that the shipped assemblies import. .NET 10 runs on glibc 2.27 and on musl 1.2.2: a function that is
/// newer throws at its first call there, and compiles and runs everywhere else.
/// </summary>
public class NativeImportTests
{
    // Each with the version of glibc that has it first (readelf --dyn-syms libc.so.6). musl 1.2.2 has them all. A function that is missing
    // here may be added if its version is 2.27 or older; otherwise the library calls it by its number (syscall).
    private static readonly Dictionary<string, string> s_functions = new()
    {
        ["accept4"] = "2.10",
        ["bind"] = "2.2.5",
        ["close"] = "2.2.5",
        ["connect"] = "2.2.5",
        ["epoll_create1"] = "2.9",
        ["epoll_ctl"] = "2.3.2",
        ["epoll_wait"] = "2.3.2",
        ["eventfd"] = "2.7",
        ["fsync"] = "2.2.5",
        ["geteuid"] = "2.2.5",
        ["getrandom"] = "2.25",
        ["getrlimit"] = "2.2.5",
        ["getrusage"] = "2.2.5",
        ["getsockname"] = "2.2.5",
        ["getsockopt"] = "2.2.5",
        ["link"] = "2.2.5",
        ["listen"] = "2.2.5",
        ["nanosleep"] = "2.2.5",
        ["open"] = "2.2.5",
        ["poll"] = "2.2.5",
        ["prctl"] = "2.2.5",
        ["read"] = "2.2.5",
        ["recv"] = "2.2.5",
        ["recvmmsg"] = "2.12",
        ["recvmsg"] = "2.2.5",
        ["send"] = "2.2.5",
        ["sendmsg"] = "2.2.5",
        ["setsockopt"] = "2.2.5",
        ["shutdown"] = "2.2.5",
        ["socket"] = "2.2.5",
        ["syscall"] = "2.2.5",
        ["write"] = "2.2.5",
    };

    private static readonly Version s_oldest = new(2, 27);

    // OpenSSL is found by the library itself, SQLite comes in a package, and kernel32 is on Windows only.
    private static readonly HashSet<string> s_others = ["coap-libcrypto", "coap-libssl", "e_sqlite3", "kernel32"];

    private static readonly string s_root = Repository.Root;

    public static TheoryData<string> Assemblies
    {
        get
        {
            string configuration = Path.GetFileName(Path.GetDirectoryName(Path.TrimEndingDirectorySeparator(AppContext.BaseDirectory)))!;
            string[] projects = [.. Repository.ShippedFiles("*.csproj").Select(static file => Path.GetFileNameWithoutExtension(file))];
            string tool = Path.Combine(Repository.FolderOf("CoAP.NET.Cli"), "bin", configuration, "net10.0");
            return [.. Directory.GetFiles(AppContext.BaseDirectory, "CoAP.NET*.dll")
                .Where(path => projects.Contains(Path.GetFileNameWithoutExtension(path)))
                .Append(Path.Combine(tool, "coap.dll")).Append(Path.Combine(tool, "CoAP.NET.Load.dll"))
                .Select(path => Path.GetRelativePath(s_root, path)).Order(StringComparer.Ordinal)];
        }
    }

    [Fact]
    public void Each_imported_function_exists_in_the_oldest_glibc_that_NET_supports() =>
        Assert.All(s_functions.Values, version => Assert.True(Version.Parse(version) <= s_oldest), throwIfEmpty: true);

    [Theory]
    [MemberData(nameof(Assemblies))]
    public void An_assembly_imports_only_functions_of_the_oldest_supported_C_library(string assembly)
    {
        foreach ((string library, string function) in ImportsOf(Path.Combine(s_root, assembly)))
        {
            Assert.True(s_others.Contains(library) || (library == "libc" && s_functions.ContainsKey(function)),
                $"{assembly} imports {function} of {library}, which is not in the list of this test.");
        }
    }

    [Fact]
    public void The_native_imports_of_the_library_are_found() =>
        Assert.Contains(("libc", "recvmmsg"), ImportsOf(Path.Combine(AppContext.BaseDirectory, "CoAP.NET.Dataflow.dll")));

    private static List<(string Library, string Function)> ImportsOf(string path)
    {
        using PEReader file = new(File.OpenRead(path));
        MetadataReader metadata = file.GetMetadataReader();
        List<(string Library, string Function)> imports = [];
        foreach (MethodDefinitionHandle handle in metadata.MethodDefinitions)
        {
            MethodDefinition method = metadata.GetMethodDefinition(handle);
            if ((method.Attributes & System.Reflection.MethodAttributes.PinvokeImpl) != 0)
            {
                MethodImport import = method.GetImport();
                imports.Add((metadata.GetString(metadata.GetModuleReference(import.Module).Name),
                    metadata.GetString(import.Name.IsNil ? method.Name : import.Name)));
            }
        }

        return imports;
    }
}
