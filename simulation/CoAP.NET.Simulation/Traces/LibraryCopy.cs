using System.Reflection;
using System.Runtime.Loader;
using Server;

namespace CoAP.NET.Simulation.Traces;

/// <summary>
/// Loads libraries once more, rewritten, with this program beside them: static state is not shared with the libraries as they are.
/// </summary>
/// <param name="libraries">The libraries as bytes, by their names.</param>
internal class LibraryCopy(IReadOnlyDictionary<string, byte[]> libraries) : AssemblyLoadContext("rewritten")
{
    private static readonly string? s_sample = typeof(PlugtestResources).Assembly.GetName().Name;

    /// <summary>Finds a static method of this program that uses the copies.</summary>
    /// <typeparam name="T">The type of the delegate; of types that are shared.</typeparam>
    /// <param name="type">The type of the method, here.</param>
    /// <param name="method">The name of the method, which is public.</param>
    public T Bind<T>(Type type, string method)
        where T : Delegate =>
        LoadFromAssemblyPath(type.Assembly.Location).GetType(type.FullName!)!.GetMethod(method)!.CreateDelegate<T>();

    protected override Assembly? Load(AssemblyName assemblyName)
    {
        if (libraries.TryGetValue(assemblyName.Name!, out byte[]? library))
        {
            return LoadFromStream(new MemoryStream(library));
        }

        // What names types of the libraries has to be loaded beside the copies; everything else is shared.
        string? path = assemblyName.Name == s_sample || assemblyName.Name!.StartsWith("CoAP.NET.", StringComparison.Ordinal)
            ? Path.Combine(Path.GetDirectoryName(typeof(LibraryCopy).Assembly.Location)!, $"{assemblyName.Name}.dll")
            : null;
        return path is null ? null : LoadFromAssemblyPath(path);
    }
}
