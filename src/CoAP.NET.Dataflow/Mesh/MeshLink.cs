using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Mesh;

/// <summary>Describes a link of the mesh, for inspection of the wiring.</summary>
/// <param name="Source">The offering block.</param>
/// <param name="Target">The accepting block.</param>
/// <param name="Seam">The name of the seam.</param>
/// <param name="Item">The type of the items.</param>
internal sealed record MeshLink(IDataflowBlock Source, IDataflowBlock Target, string Seam, Type Item);
