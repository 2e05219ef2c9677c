using System.Collections.Immutable;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;

namespace CoAP.NET.Tests.Structure;

/// <summary>
/// Which types the top-level types of an assembly use: in bases, fields, signatures, locals and code. Nested types count for the outermost
/// one.
/// </summary>
internal sealed class TypeReferences : IDisposable
{
    private readonly PEReader _file;
    private readonly MetadataReader _metadata;
    private readonly Dictionary<string, HashSet<string>> _uses = [];

    private TypeReferences(string path)
    {
        _file = new PEReader(File.OpenRead(path));
        _metadata = _file.GetMetadataReader();
    }

    /// <summary>Reads an assembly.</summary>
    /// <returns>For each type by full name the types that it uses, without itself.</returns>
    public static IReadOnlyDictionary<string, HashSet<string>> Read(string path)
    {
        using TypeReferences reader = new(path);
        reader.ReadAll();
        return reader._uses;
    }

    public void Dispose() => _file.Dispose();

    private void ReadAll()
    {
        foreach (TypeDefinitionHandle handle in _metadata.TypeDefinitions)
        {
            string from = OutermostName(handle);
            if (!_uses.TryGetValue(from, out HashSet<string>? uses))
            {
                _uses[from] = uses = [];
            }

            TypeDefinition type = _metadata.GetTypeDefinition(handle);
            Collector found = new();
            Add(type.BaseType, found);
            foreach (InterfaceImplementationHandle implementation in type.GetInterfaceImplementations())
            {
                Add(_metadata.GetInterfaceImplementation(implementation).Interface, found);
            }

            AddConstraints(type.GetGenericParameters(), found);
            foreach (FieldDefinitionHandle field in type.GetFields())
            {
                _metadata.GetFieldDefinition(field).DecodeSignature(found, null);
            }

            foreach (MethodDefinitionHandle method in type.GetMethods())
            {
                ReadMethod(_metadata.GetMethodDefinition(method), found);
            }

            uses.UnionWith(found.Types.Select(OutermostName).Where(name => name != from));
            uses.UnionWith(found.Foreign.Select(handle => _metadata.GetTypeReference(handle))
                .Select(other => $"{_metadata.GetString(other.Namespace)}.{_metadata.GetString(other.Name)}"));
        }
    }

    private void ReadMethod(MethodDefinition method, Collector found)
    {
        method.DecodeSignature(found, null);
        AddConstraints(method.GetGenericParameters(), found);
        if (method.RelativeVirtualAddress == 0)
        {
            return;
        }

        MethodBodyBlock body = _file.GetMethodBody(method.RelativeVirtualAddress);
        if (!body.LocalSignature.IsNil)
        {
            _metadata.GetStandaloneSignature(body.LocalSignature).DecodeLocalSignature(found, null);
        }

        foreach (ExceptionRegion region in body.ExceptionRegions)
        {
            Add(region.CatchType, found);
        }

        foreach (int token in IntermediateCode.Tokens(body.GetILBytes()!))
        {
            Add(MetadataTokens.EntityHandle(token), found);
        }
    }

    private void AddConstraints(GenericParameterHandleCollection parameters, Collector found)
    {
        foreach (GenericParameterConstraintHandle constraint in parameters.SelectMany(
            parameter => _metadata.GetGenericParameter(parameter).GetConstraints()))
        {
            Add(_metadata.GetGenericParameterConstraint(constraint).Type, found);
        }
    }

    private void Add(EntityHandle handle, Collector found)
    {
        if (handle.IsNil)
        {
            return;
        }

        switch (handle.Kind)
        {
            case HandleKind.TypeDefinition:
                found.Types.Add((TypeDefinitionHandle)handle);
                break;
            case HandleKind.TypeReference:
                found.Foreign.Add((TypeReferenceHandle)handle);
                break;
            case HandleKind.TypeSpecification:
                _metadata.GetTypeSpecification((TypeSpecificationHandle)handle).DecodeSignature(found, null);
                break;
            case HandleKind.MethodDefinition:
                found.Types.Add(_metadata.GetMethodDefinition((MethodDefinitionHandle)handle).GetDeclaringType());
                break;
            case HandleKind.FieldDefinition:
                found.Types.Add(_metadata.GetFieldDefinition((FieldDefinitionHandle)handle).GetDeclaringType());
                break;
            case HandleKind.MemberReference:
                MemberReference member = _metadata.GetMemberReference((MemberReferenceHandle)handle);
                Add(member.Parent, found);
                if (member.GetKind() == MemberReferenceKind.Method)
                {
                    member.DecodeMethodSignature(found, null);
                }

                break;
            case HandleKind.MethodSpecification:
                MethodSpecification specification = _metadata.GetMethodSpecification((MethodSpecificationHandle)handle);
                Add(specification.Method, found);
                specification.DecodeSignature(found, null);
                break;
            default:
                break;
        }
    }

    private string OutermostName(TypeDefinitionHandle handle)
    {
        TypeDefinition type = _metadata.GetTypeDefinition(handle);
        while (!type.GetDeclaringType().IsNil)
        {
            type = _metadata.GetTypeDefinition(type.GetDeclaringType());
        }

        string space = _metadata.GetString(type.Namespace);
        string name = _metadata.GetString(type.Name);
        return space.Length == 0 ? name : $"{space}.{name}";
    }

    /// <summary>Walks signatures and keeps the types.</summary>
    private sealed class Collector : ISignatureTypeProvider<int, object?>
    {
        public HashSet<TypeDefinitionHandle> Types { get; } = [];

        public HashSet<TypeReferenceHandle> Foreign { get; } = [];

        public int GetTypeFromDefinition(MetadataReader reader, TypeDefinitionHandle handle, byte rawTypeKind)
        {
            Types.Add(handle);
            return 0;
        }

        public int GetTypeFromSpecification(MetadataReader reader, object? genericContext, TypeSpecificationHandle handle,
            byte rawTypeKind) =>
                reader.GetTypeSpecification(handle).DecodeSignature(this, genericContext);

        public int GetTypeFromReference(MetadataReader reader, TypeReferenceHandle handle, byte rawTypeKind)
        {
            Foreign.Add(handle);
            return 0;
        }

        public int GetArrayType(int elementType, ArrayShape shape) => 0;

        public int GetByReferenceType(int elementType) => 0;

        public int GetFunctionPointerType(MethodSignature<int> signature) => 0;

        public int GetGenericInstantiation(int genericType, ImmutableArray<int> typeArguments) => 0;

        public int GetGenericMethodParameter(object? genericContext, int index) => 0;

        public int GetGenericTypeParameter(object? genericContext, int index) => 0;

        public int GetModifiedType(int modifier, int unmodifiedType, bool isRequired) => 0;

        public int GetPinnedType(int elementType) => 0;

        public int GetPointerType(int elementType) => 0;

        public int GetPrimitiveType(PrimitiveTypeCode typeCode) => 0;

        public int GetSZArrayType(int elementType) => 0;
    }
}
