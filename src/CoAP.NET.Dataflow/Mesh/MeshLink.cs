using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Mesh;

/// <summary>A link of the mesh, for whoever wants to see its wiring.</summary>
/// <param name="Source">The block that offers.</param>
/// <param name="Target">The block that takes.</param>
/// <param name="Seam">The name of the seam.</param>
/// <param name="Item">What passes.</param>
internal sealed record MeshLink(IDataflowBlock Source, IDataflowBlock Target, string Seam, Type Item);
