using System.Runtime.CompilerServices;

// Native functions take blittable values only, exactly as declared here.
[assembly: DisableRuntimeMarshalling]
