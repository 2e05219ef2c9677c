using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;

namespace CoAP.NET.Build;

/// <summary>The types and members of an assembly that code outside of it can see, by the names that comments have for them.</summary>
internal sealed class PublicMembers
{
    private readonly MetadataReader _metadata;
    private readonly HashSet<string> _types = new(StringComparer.Ordinal);
    private readonly HashSet<string> _members = new(StringComparer.Ordinal);

    /// <summary>Reads an assembly.</summary>
    /// <param name="file">The assembly.</param>
    public PublicMembers(string file)
    {
        using PEReader reader = new(File.OpenRead(file));
        _metadata = reader.GetMetadataReader();
        foreach (TypeDefinitionHandle handle in _metadata.TypeDefinitions)
        {
            TypeDefinition type = _metadata.GetTypeDefinition(handle);
            if (IsVisible(type))
            {
                Add(NameOf(type), type);
            }
        }
    }

    /// <summary>Whether a comment describes something visible.</summary>
    /// <remarks>Overloads share an answer: one visible overload keeps the comments of all.</remarks>
    /// <param name="id">The id of the comment, such as <c>M:CoAP.NET.CoapClient.Dispose</c>.</param>
    public bool Contains(string id)
    {
        string name = id[2..].Split('(', '~')[0];
        return id[0] == 'T' ? _types.Contains(name) : _members.Contains(name.Split("``")[0]);
    }

    private void Add(string name, TypeDefinition type)
    {
        _types.Add(name);
        foreach (MethodDefinition method in type.GetMethods().Select(_metadata.GetMethodDefinition).Where(IsVisible))
        {
            string text = _metadata.GetString(method.Name);
            _members.Add($"{name}.{text.Replace('.', '#')}");

            // Accessors stand for their property or event.
            if (text.Split('_', 2) is ["get" or "set" or "add" or "remove", { Length: > 0 } owner])
            {
                _members.Add($"{name}.{owner}");
            }
        }

        foreach (FieldDefinition field in type.GetFields().Select(_metadata.GetFieldDefinition)
            .Where(static field => IsVisible((MethodAttributes)(field.Attributes & FieldAttributes.FieldAccessMask))))
        {
            _members.Add($"{name}.{_metadata.GetString(field.Name)}");
        }
    }

    private string NameOf(TypeDefinition type)
    {
        string name = _metadata.GetString(type.Name);
        string space = _metadata.GetString(type.Namespace);
        return type.GetDeclaringType() is { IsNil: false } outer ? $"{NameOf(_metadata.GetTypeDefinition(outer))}.{name}"
            : space.Length > 0 ? $"{space}.{name}"
            : name;
    }

    private bool IsVisible(TypeDefinition type) => (type.Attributes & TypeAttributes.VisibilityMask) switch
    {
        TypeAttributes.Public => true,
        TypeAttributes.NestedPublic or TypeAttributes.NestedFamily or TypeAttributes.NestedFamORAssem =>
            IsVisible(_metadata.GetTypeDefinition(type.GetDeclaringType())),
        _ => false,
    };

    private static bool IsVisible(MethodDefinition method) => IsVisible(method.Attributes & MethodAttributes.MemberAccessMask);

    private static bool IsVisible(MethodAttributes access) =>
        access is MethodAttributes.Public or MethodAttributes.Family or MethodAttributes.FamORAssem;
}
