using Mono.Cecil;

namespace CoAP.NET.Simulation.Traces;

/// <summary>Rewrites copies of libraries: reads an assembly, has it changed, and writes it.</summary>
internal static class LibraryRewriter
{
    /// <summary>Rewrites an assembly.</summary>
    /// <param name="path">Where the assembly is.</param>
    /// <param name="change">Changes its module.</param>
    /// <returns>The assembly rewritten.</returns>
    public static byte[] Rewrite(string path, Action<ModuleDefinition> change)
    {
        using DefaultAssemblyResolver resolver = new();
        resolver.AddSearchDirectory(Path.GetDirectoryName(path)!);
        resolver.AddSearchDirectory(Path.GetDirectoryName(typeof(object).Assembly.Location)!);
        using AssemblyDefinition assembly = AssemblyDefinition.ReadAssembly(path, new ReaderParameters { AssemblyResolver = resolver });
        change(assembly.MainModule);

        // The signature of the original is not that of the copy.
        assembly.MainModule.Attributes &= ~ModuleAttributes.StrongNameSigned;
        using MemoryStream written = new();
        assembly.Write(written);
        return written.ToArray();
    }

    /// <summary>Makes a public static class of the namespace CoAP.NET.</summary>
    /// <param name="module">Its module, to which the caller adds it after changing the other types.</param>
    /// <param name="name">Its name.</param>
    public static TypeDefinition MakeStaticClass(ModuleDefinition module, string name) =>
        new("CoAP.NET", name, TypeAttributes.Public | TypeAttributes.Abstract | TypeAttributes.Sealed | TypeAttributes.BeforeFieldInit,
            module.TypeSystem.Object);

    /// <summary>Makes a static constructor without instructions.</summary>
    /// <param name="module">Its module.</param>
    public static MethodDefinition MakeStaticConstructor(ModuleDefinition module) =>
        new(".cctor", MethodAttributes.Private | MethodAttributes.Static | MethodAttributes.HideBySig | MethodAttributes.SpecialName
            | MethodAttributes.RTSpecialName, module.TypeSystem.Void);
}
