using Mono.Cecil;
using Mono.Cecil.Cil;
using Mono.Cecil.Rocks;

namespace CoAP.NET.Simulation.Traces;

/// <summary>
/// Rewrites copies of libraries so that they tell in which order one thread first enters their types. A nested type counts as the type
/// around it.
/// </summary>
internal static class CallTracer
{
    public const string TypeName = "CoAP.NET.CallTrace";
    public const string OrderField = "Order";
    public const string CountField = "Count";
    public const string ThreadField = "Thread";

    private const string EnterMethod = "Enter";

    /// <summary>Rewrites assemblies.</summary>
    /// <param name="paths">Where they are; the others refer to the first one, which keeps the record.</param>
    /// <returns>The assemblies by name, and the names of their types; the index of a name is that in <see cref="OrderField"/>.</returns>
    public static (IReadOnlyDictionary<string, byte[]> Assemblies, string[] Types) Rewrite(IReadOnlyList<string> paths)
    {
        Dictionary<string, byte[]> assemblies = [];
        List<string> names = [];
        int count = paths.Sum(CountOf);
        foreach (string path in paths)
        {
            assemblies.Add(Path.GetFileNameWithoutExtension(path), LibraryRewriter.Rewrite(path, module => Trace(module, names, count)));
        }

        return (assemblies, [.. names]);
    }

    private static int CountOf(string path)
    {
        using ModuleDefinition module = ModuleDefinition.ReadModule(path);
        return TypesOf(module).Length;
    }

    private static TypeDefinition[] TypesOf(ModuleDefinition module) =>
        [.. module.Types.Where(type => type.IsClass && !type.IsValueType && !type.Name.StartsWith('<'))];

    private static void Trace(ModuleDefinition module, List<string> names, int count)
    {
        TypeDefinition[] types = TypesOf(module);
        TypeDefinition? trace = names.Count == 0 ? MakeTrace(module, count) : null;
        MethodReference enter = trace?.Methods.First(method => method.Name == EnterMethod) ?? ImportEnter(module);
        foreach (TypeDefinition type in types)
        {
            foreach (MethodDefinition method in MethodsOf(type))
            {
                method.Body.SimplifyMacros();
                ILProcessor il = method.Body.GetILProcessor();
                Instruction first = method.Body.Instructions[0];
                il.InsertBefore(first, il.Create(OpCodes.Ldc_I4, names.Count));
                il.InsertBefore(first, il.Create(OpCodes.Call, enter));
                method.Body.OptimizeMacros();
            }

            names.Add(type.FullName);
        }

        if (trace is not null)
        {
            module.Types.Add(trace);
        }
    }

    // What only reads or stores a value is not a step of its own.
    private static IEnumerable<MethodDefinition> MethodsOf(TypeDefinition type) =>
        type.Methods.Where(method => method.HasBody && method.Body.Instructions.Count > 0 && !method.IsGetter && !method.IsSetter
                && !method.IsConstructor)
            .Concat(type.NestedTypes.SelectMany(MethodsOf));

    private static TypeDefinition MakeTrace(ModuleDefinition module, int types)
    {
        TypeDefinition trace = LibraryRewriter.MakeStaticClass(module, "CallTrace");
        FieldDefinition order = AddField(trace, OrderField, new ArrayType(module.TypeSystem.Int32));
        FieldDefinition count = AddField(trace, CountField, module.TypeSystem.Int32);
        FieldDefinition thread = AddField(trace, ThreadField, module.TypeSystem.Int32);
        trace.Methods.Add(MakeEnter(module, order, count, thread));
        trace.Methods.Add(MakeInitializer(module, order, types));
        return trace;
    }

    private static MethodReference ImportEnter(ModuleDefinition module)
    {
        string first = typeof(CoapMessage).Assembly.GetName().Name!;
        AssemblyNameReference core = module.AssemblyReferences.First(reference => reference.Name == first);
        MethodReference enter = new(EnterMethod, module.TypeSystem.Void, new TypeReference("CoAP.NET", "CallTrace", module, core));
        enter.Parameters.Add(new ParameterDefinition(module.TypeSystem.Int32));
        return enter;
    }

    private static FieldDefinition AddField(TypeDefinition type, string name, TypeReference of)
    {
        FieldDefinition field = new(name, FieldAttributes.Public | FieldAttributes.Static, of);
        type.Fields.Add(field);
        return field;
    }

    // static void Enter(int type) { if (Thread == Environment.CurrentManagedThreadId && Order[type] == 0) Order[type] = ++Count; }
    private static MethodDefinition MakeEnter(ModuleDefinition module, FieldDefinition order, FieldDefinition count, FieldDefinition thread)
    {
        MethodDefinition enter = new(EnterMethod, MethodAttributes.Public | MethodAttributes.Static | MethodAttributes.HideBySig,
            module.TypeSystem.Void);
        enter.Parameters.Add(new ParameterDefinition("type", ParameterAttributes.None, module.TypeSystem.Int32));
        ILProcessor il = enter.Body.GetILProcessor();
        Instruction end = il.Create(OpCodes.Ret);
        il.Emit(OpCodes.Ldsfld, thread);
        il.Emit(OpCodes.Call,
            module.ImportReference(typeof(Environment).GetProperty(nameof(Environment.CurrentManagedThreadId))!.GetMethod));
        il.Emit(OpCodes.Bne_Un, end);
        il.Emit(OpCodes.Ldsfld, order);
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Ldelem_I4);
        il.Emit(OpCodes.Brtrue, end);
        il.Emit(OpCodes.Ldsfld, order);
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Ldsfld, count);
        il.Emit(OpCodes.Ldc_I4_1);
        il.Emit(OpCodes.Add);
        il.Emit(OpCodes.Dup);
        il.Emit(OpCodes.Stsfld, count);
        il.Emit(OpCodes.Stelem_I4);
        il.Append(end);
        return enter;
    }

    private static MethodDefinition MakeInitializer(ModuleDefinition module, FieldDefinition order, int types)
    {
        MethodDefinition initializer = LibraryRewriter.MakeStaticConstructor(module);
        ILProcessor il = initializer.Body.GetILProcessor();
        il.Emit(OpCodes.Ldc_I4, types);
        il.Emit(OpCodes.Newarr, module.TypeSystem.Int32);
        il.Emit(OpCodes.Stsfld, order);
        il.Emit(OpCodes.Ret);
        return initializer;
    }
}
